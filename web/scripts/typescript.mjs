// Lets Node run our TypeScript: `node --import ./scripts/typescript.mjs file.ts`.
//
// Types are only taken away; checking them is the work of `npm run typecheck`.
import { readFile } from 'node:fs/promises'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import typescript from 'typescript'

const compilerOptions = { target: 'ESNext', module: 'ESNext', verbatimModuleSyntax: true, inlineSourceMap: true }

// Node asks for modules in a thread of its own, where this file is loaded once more.
if (isMainThread) register(import.meta.url)

export async function resolve(name, context, next) {
  // Our own modules are imported without their ending, packages import theirs with it.
  const isOurs = context.parentURL?.endsWith('.ts') && /^\.\.?\//.test(name)
  return next(isOurs ? `${name}.ts` : name, context)
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context)
  const fileName = fileURLToPath(url)
  const { outputText } = typescript.transpileModule(await readFile(fileName, 'utf8'), { fileName, compilerOptions })
  return { format: 'module', source: outputText, shortCircuit: true }
}
