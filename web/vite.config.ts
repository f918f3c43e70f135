// How the page is built: one app, immutable names, nothing inlined, so that the strict policy holds.
import { defineConfig } from 'vite'
import { leaveOut } from './build/left-out.ts'
import { settleManifests } from './build/settled-manifests.ts'

const withoutLigatures = new URL('./src/workbench/core/no-ligatures.ts', import.meta.url).pathname
const withoutEncodingGuesser = new URL('./src/workbench/core/no-encoding-guess.ts', import.meta.url).pathname

/** Packages bring code for Node along, which no path of the page runs. */
const isForNodeOnly = (message: string): boolean => message.includes('externalized for browser compatibility')

export default defineConfig({
  logLevel: 'warn',
  plugins: [leaveOut(), settleManifests()],
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
