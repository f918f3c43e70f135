// The package has types and does not say where.
declare module 'emmet' {
  export interface UserConfig {
    type: 'markup' | 'stylesheet'
    syntax: string
    options: {
      'output.field': (index: number, placeholder: string) => string
      'output.text': (text: string) => string
    }
  }
  export default function expand(abbreviation: string, config: UserConfig): string
  export function extract(
    line: string, position: number, options: { type: 'markup' | 'stylesheet'; lookAhead: boolean },
  ): { abbreviation: string; start: number; end: number } | undefined
}
