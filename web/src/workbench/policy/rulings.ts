// What the policy says about a line, as entries of a list: for each place the answer, then what it is made of.
//
// Plain data. What is shown of the line and its parts is all of it that the server tells; nothing of it is hidden.
import { inOneLine } from '../../panels/approvals/visible'
import type { PolicyCheckResult } from '../../protocol/generated'
import { strings } from '../../strings'
import type { Choice } from '../core/api/window'
import { plain } from '../core/plain-labels'

const words = strings.policy

type Ruling = PolicyCheckResult['rulings'][number]

/** The entries, under the title of each place. */
export function rowsOf({ rulings }: PolicyCheckResult): Choice[] {
  return rulings.flatMap(rowsOfPlace)
}

function rowsOfPlace({ place, decision, rule, why, line, always }: Ruling): Choice[] {
  const parts = line?.parts ?? []
  // Of one command all is said already, unless there is more to say than why.
  const isSaid = parts.length === 1 && parts.every(({ dangers }) => dangers.every((danger) => danger === why))
  return [
    { type: 'separator', label: words.titles[place] ?? place },
    {
      label: words.decisions[decision] ?? decision,
      description: words.places[place] ?? place,
      detail: shown(words.byRule(rule, why)),
    },
    ...(isSaid ? [] : parts).map((part) => ({
      label: shown(part.text),
      description: shown(words.part(words.parts[part.decision] ?? part.decision, part.rule)),
      ...(part.dangers.length > 0 ? { detail: shown(part.dangers.join(' ')) } : {}),
    })),
    ...(line?.doubts ?? []).map((doubt) => ({ label: words.doubt(shown(doubt)), detail: words.doubtful })),
    ...(always ? [{ label: words.always(shown(always.about)) }] : []),
  ]
}

function shown(text: string): string {
  return plain(inOneLine(text))
}
