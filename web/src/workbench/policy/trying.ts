// Lets a person type a line and see what the policy would say about it, place by place, with the rules that decide.
//
// It asks and shows, again and again until the person leaves. Nothing is run, and no rule is changed.
import { inOneLine } from '../../panels/approvals/visible'
import { run } from '../../protocol/commands'
import { strings } from '../../strings'
import type { Workbench } from '../core/feature'
import { rowsOf } from './rulings'

const words = strings.policy

export async function tryLines({ api, notices }: Pick<Workbench, 'api' | 'notices'>): Promise<void> {
  let line = ''
  try {
    for (;;) {
      const typed = await api.window.showInputBox({
        title: words.title, prompt: words.prompt, placeHolder: words.example, value: line, ignoreFocusLost: true,
        validateInput: (text) => (text.trim() === '' ? words.empty : undefined),
      })
      if (typed === undefined) return
      line = typed
      const checked = await run('openspace.policy.check', { line })
      const chosen = await api.window.showQuickPick(rowsOf(checked), {
        title: words.results(inOneLine(line)), placeHolder: words.again(checked.profile), ignoreFocusLost: true,
      })
      if (chosen === undefined) return
    }
  } catch (error) {
    notices.failure(words.failed, error)
  }
}
