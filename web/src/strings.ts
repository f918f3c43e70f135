// Every word of ours that a person reads in the page, in one place, ready for translation.

export const strings = {
  product: 'OpenSpace',
  boot: {
    opening: 'Opening the space…',
    refused: 'This browser has no key to the space. Run “openspace link” in the workspace and open the link it prints.',
    failed: (why: string) => `The space could not be opened: ${why}`,
    again: 'Try again',
  },
} as const
