// How long ago something was, in the words of a person. Pure.

const UNITS = [
  ['year', 365 * 24 * 60 * 60], ['month', 30 * 24 * 60 * 60], ['week', 7 * 24 * 60 * 60], ['day', 24 * 60 * 60],
  ['hour', 60 * 60], ['minute', 60],
] as const

const WORDS = new Intl.RelativeTimeFormat('en')

/** In the largest unit that fits; less than a minute, or what clocks disagree about, is now. */
export function ago(time: number, now: number): string | undefined {
  const seconds = Math.floor((now - time) / 1000)
  const fitting = UNITS.find(([, length]) => seconds >= length)
  return fitting && WORDS.format(-Math.floor(seconds / fitting[1]), fitting[0])
}
