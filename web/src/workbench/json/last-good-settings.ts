// Settings that stay in effect while their file is broken: half a file, in the middle of an edit or a merge, must not
// change half of what is set. What a page read last from a file counts until the file can be read again; a page that
// finds it broken at its start knows nothing better than what the workbench can read of it. The text that somebody
// edits is not touched, and that it is broken `broken-settings.ts` says.
import { ConfigurationModelParser, parseJson } from '../core/upstream'

/** Has to be called before the workbench reads its first settings. */
export function keepLastGoodSettings(): void {
  const parser = ConfigurationModelParser.prototype
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the object that it is asked of
  const read = parser.parse
  const lastGood = new WeakMap<ConfigurationModelParser, string>()
  parser.parse = function parse(this: ConfigurationModelParser, content, options) {
    const isBroken = content ? errorsIn(content) > 0 : false
    // An empty text is how a folder's settings are reset before each reading: it is not what was read last.
    if (content && !isBroken) lastGood.set(this, content)
    read.call(this, isBroken ? (lastGood.get(this) ?? content) : content, options)
  }
}

function errorsIn(text: string): number {
  const errors: Parameters<typeof parseJson>[1] = []
  parseJson(text, errors)
  // A file of nothing but comments sets nothing, which is no fault.
  return text.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '').trim() === '' ? 0 : (errors?.length ?? 0)
}
