// Stands in for the terminal's ligatures, which are not shipped: they read the fonts of the person's machine,
// which browsers ask about, and do not run without parts of Node. The sticky line of a terminal loads them
// whatever the settings say.
export class LigaturesAddon {
  activate(): void {}
  dispose(): void {}
}
