// Which files are pictures, by name, and how large one is in words. Plain data: it looks at no content.

/** What browsers show inside a page, by the end of the name. */
const KINDS: Record<string, string> = {
  png: 'image/png',
  apng: 'image/apng',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  jpe: 'image/jpeg',
  jfif: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  svg: 'image/svg+xml',
}

export const IMAGE_ENDINGS: readonly string[] = Object.keys(KINDS)

/** The type that a browser needs to know a picture by; `undefined` for what is none. */
export function imageType(path: string): string | undefined {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(KINDS, ending) ? KINDS[ending] : undefined
}

const UNITS = ['KB', 'MB', 'GB']
const STEP = 1024

/** A number of bytes as people read it. */
export function bytesInWords(bytes: number): string {
  let size = bytes
  let unit = 'B'
  for (const larger of UNITS) {
    // What would be written as 1024 of a unit is one of the next.
    if (Math.round(size) < STEP) break
    size /= STEP
    unit = larger
  }
  const isRounded = unit === 'B' || size >= 10
  return `${isRounded ? Math.round(size) : size.toFixed(1)} ${unit}`
}
