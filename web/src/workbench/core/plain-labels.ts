// Texts of others in lists and bars of the workbench, which draws `$(name)` there as a picture.
//
// A shell's `$(date)` would be gone from what a person decides by. Nothing else is changed.

/** What the workbench takes for a picture. */
const PICTURE = /\$\([A-Za-z0-9-]+(?:~[A-Za-z0-9-]+)?\)/g

/** A text of which every letter is shown. */
export function plain(text: string): string {
  return text.replaceAll(PICTURE, (picture) => `\\${picture}`)
}
