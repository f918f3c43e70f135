// How the page is built: one app, immutable names, nothing inlined, so that the strict policy holds.
import { defineConfig, type Rolldown } from 'vite'

type GetModuleInfo = Rolldown.PluginContext['getModuleInfo']

const withoutLigatures = new URL('./src/workbench/core/no-ligatures.ts', import.meta.url).pathname
const withoutEncodingGuesser = new URL('./src/workbench/core/no-encoding-guess.ts', import.meta.url).pathname

/** Packages bring code for Node along, which no path of the page runs. */
const isForNodeOnly = (message: string): boolean => message.includes('externalized for browser compatibility')

const at = (path: string): string => new URL(path, import.meta.url).pathname

/** What a module imports at once, and what that imports. */
function importedBy(module: string, info: GetModuleInfo, found = new Set<string>()): Set<string> {
  if (found.has(module)) return found
  found.add(module)
  for (const imported of info(module)?.importedIds ?? []) importedBy(imported, info, found)
  return found
}

/**
 * All that the workbench needs at once is one file. Without a word, what several parts share that are loaded later
 * becomes files of its own, which pack worse and are asked for later.
 */
function startChunk(): (module: string, context: { getModuleInfo: GetModuleInfo }) => string | null {
  let atOnce: Set<string> | undefined
  return (module, context) => {
    if (!atOnce) {
      const info: GetModuleInfo = (id) => context.getModuleInfo(id)
      atOnce = importedBy(at('./src/workbench/start.ts'), info)
      for (const earlier of importedBy(at('./src/main.ts'), info)) atOnce.delete(earlier)
    }
    return atOnce.has(module) ? 'start' : null
  }
}

export default defineConfig({
  logLevel: 'warn',
  build: {
    target: 'esnext',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 20_000,
    reportCompressedSize: false,
    sourcemap: false,
    // Names that need no escaping in an address.
    rolldownOptions: {
      output: {
        sanitizeFileName: (name: string) => name.replaceAll(/[^A-Za-z0-9._-]/g, '_'),
        codeSplitting: { groups: [{ name: startChunk() }] },
      },
      checks: { bundlerTimings: false },
      onLog: (level, log, next) => (isForNodeOnly(log.message) ? undefined : next(level, log)),
    },
  },
  worker: { format: 'es' },
  resolve: {
    dedupe: ['vscode', 'monaco-editor'],
    // The guesser of text encodings is LGPL and off by default: it is left out.
    alias: { jschardet: withoutEncodingGuesser, '@xterm/addon-ligatures': withoutLigatures },
  },
})
