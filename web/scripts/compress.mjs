// Lays a brotli and a gzip copy beside every file of the built page that gets smaller by it.
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const dist = new URL('../dist/', import.meta.url).pathname
const worthwhile = /\.(js|css|html|json|svg|wasm|ttf|txt|map)$/
const brotli = promisify(brotliCompress)
const zip = promisify(gzip)
// 10 and 11 take minutes for a few percent; the page is rebuilt often.
const quality = 9

const entries = await readdir(dist, { recursive: true })
let [raw, small] = [0, 0]
for (const entry of entries) {
  const path = join(dist, entry)
  if (!(await stat(path)).isFile()) continue
  if (entry.endsWith('.map')) {
    await rm(path)
    continue
  }
  if (!worthwhile.test(entry)) continue
  const content = await readFile(path)
  const [br, gz] = await Promise.all([
    brotli(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
    zip(content, { level: 9 }),
  ])
  raw += content.length
  small += br.length
  if (br.length < content.length) await writeFile(`${path}.br`, br)
  if (gz.length < content.length) await writeFile(`${path}.gz`, gz)
}
console.log(`compressed ${(raw / 1e6).toFixed(1)} MB to ${(small / 1e6).toFixed(1)} MB`)
