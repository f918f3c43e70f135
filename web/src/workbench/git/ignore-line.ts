// The line of a `.gitignore` that means one file and nothing else.

export function escapedForIgnore(path: string): string {
  const escaped = path.replaceAll(/[\\*?[\]]/g, (sign) => `\\${sign}`).replace(/ +$/, (spaces) =>
    '\\ '.repeat(spaces.length))
  // The slash ties it to the folder of the file, and keeps `#` and `!` from meaning something.
  return `/${escaped}`
}
