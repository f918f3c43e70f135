// Stand-in until the generator writes this file.
// eslint-disable-next-line
export type Commands = Record<string, { args: any; result: any }>
