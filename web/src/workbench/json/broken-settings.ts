// A settings file that cannot be read as a whole says so, with the line. What was read last stays in effect meanwhile
// (`last-good-settings.ts`).
import { Uri } from 'monaco-editor'
import { getLanguageService, TextDocument } from 'vscode-json-languageservice'
import { Failure } from '../../protocol/failure'
import { content, stat } from '../../protocol/files'
import type { Space } from '../../protocol/space'
import * as userData from '../../protocol/user-data'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { Notices } from '../core/notices'
import { USER_SCHEME } from '../core/tab-kinds'
import { uriOf } from '../core/uris'

/** Of these what can be read counts, whatever was there before. */
const KEYS = 'keybindings.json'
const OF_PERSON = ['settings.json', KEYS]
const OF_FOLDER = '.vscode/settings.json'

export function watchSettings(api: Api, notices: Notices, space: Space): void {
  /** Files of settings that this page could read, and whose settings it therefore holds. */
  const held = new Set<string>()
  const look = async (name: string, uri: Uri, read: () => Promise<Uint8Array>) => {
    try {
      const line = await brokenLine(new TextDecoder().decode(await read()))
      if (line === undefined) return void held.add(name)
      const isHeld = held.has(name) && name !== KEYS
      void notices.offer(strings.json.broken(name, line, isHeld), strings.json.show, () => {
        void api.window.showTextDocument(uri, { selection: { startLineNumber: line, startColumn: 1 } })
      })
    } catch (error) {
      // What is not there is not broken, and whether the server can be reached the banner says.
      if (!(error instanceof Failure) || !['not_found', 'unreachable'].includes(error.kind)) throw error
    }
  }
  const lookAt = (name: string) => {
    const uri = Uri.from({ scheme: USER_SCHEME, path: `/User/${name}` })
    return look(name, uri, () => userData.read(name))
  }
  const lookAtFolder = () => look(OF_FOLDER, uriOf(OF_FOLDER), async () => {
    // Most folders have none, which is no error for the browser to note.
    await stat(OF_FOLDER)
    return (await content(OF_FOLDER)).bytes
  })
  space.on('user_data_changed', ({ name }) => {
    if (OF_PERSON.includes(name)) void lookAt(name)
  })
  space.on('files_changed', ({ changes }) => {
    if (changes.some(({ path, change }) => path === OF_FOLDER && change !== 'deleted')) void lookAtFolder()
  })
  void lookAtFolder()
  void userData.atOpening().names.then((names) => {
    for (const name of OF_PERSON) if (names.includes(name)) void lookAt(name)
  })
}

/** The first line that is not as JSON with comments has to be. */
async function brokenLine(text: string): Promise<number | undefined> {
  if (text.trim() === '') return undefined
  const service = getLanguageService({})
  const document = TextDocument.create('openspace:/settings.json', 'jsonc', 1, text)
  const settings = { comments: 'ignore', trailingCommas: 'ignore', schemaRequest: 'ignore' } as const
  const [first] = await service.doValidation(document, service.parseJSONDocument(document), settings)
  return first && first.range.start.line + 1
}
