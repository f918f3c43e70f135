// Settles when the page is built what the manifests of languages and themes leave to every start of it: their
// words, each in a file of its own, and themes that include one another, each loaded after the one before.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

type Words = Record<string, string | { message: string }>

interface Theme {
  include?: string
  colors?: object
  semanticTokenColors?: object
  tokenColors?: unknown[]
}

export function settleManifests(): Plugin {
  return {
    name: 'openspace-settled-manifests',
    enforce: 'pre',
    transform: {
      filter: { id: /-default-extension\/index\.js$/ },
      handler(code, id) {
        const resources = join(dirname(id), 'resources')
        const flat = (name: string): string => {
          const source = JSON.stringify(flattened(resources, name))
          return `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'asset', name, source })}`
        }
        const settled = withWords(code, resources).replaceAll(
          /new URL\('\.\/resources\/([^']+\.json)', import\.meta\.url\)\.toString\(\)/g,
          (address: string, name: string) => (isInclusive(resources, name) ? flat(name) : address),
        )
        return { code: settled, map: null }
      },
    },
  }
}

/** The words are in the manifest, and nobody looks for their file any more. */
function withWords(code: string, resources: string): string {
  const file = /^registerFileUrl\('package\.nls\.json',.*$/m
  if (!file.test(code)) return code
  const words = read(resources, 'package.nls.json') as Words
  return code.replace(file, '').replaceAll(/"%([^%"]+)%"/g, (_, key: string) => {
    const word = words[key]
    if (word === undefined) throw new Error(`${resources} has no word for %${key}%`)
    return JSON.stringify(typeof word === 'string' ? word : word.message)
  })
}

const isInclusive = (resources: string, name: string): boolean => {
  const content: unknown = name.includes('package') ? {} : read(resources, name)
  return typeof content === 'object' && content !== null && 'include' in content && 'colors' in content
}

/** A theme with all that it includes; what is nearer wins, as where the workbench does it. */
function flattened(resources: string, name: string): Theme {
  const { include, ...own } = read(resources, name) as Theme
  if (include === undefined) return own
  const base = flattened(resources, include.replace('./', ''))
  return {
    ...base,
    ...own,
    colors: { ...base.colors, ...own.colors },
    semanticTokenColors: { ...base.semanticTokenColors, ...own.semanticTokenColors },
    tokenColors: [...(base.tokenColors ?? []), ...(own.tokenColors ?? [])],
  }
}

function read(folder: string, name: string): unknown {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'))
}
