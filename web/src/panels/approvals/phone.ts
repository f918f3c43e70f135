// The link to a page on which one question is answered once, for a phone: as a picture, and as text to copy.
//
// Plain DOM; it is given the link. Dark on light whatever the theme is: cameras read nothing else well.
import type { PhoneLink } from '../../protocol/approvals'
import { strings } from '../../strings'
import { made } from './body'

const words = strings.approvals.phone
const SVG = 'http://www.w3.org/2000/svg'
/** So many light squares stand around a code, for those that look for its edges. */
const QUIET = 4

/** What is shown of a link; `back` is the button that leads to the answers again. */
export function phoneLink({ link, picture, reachable }: PhoneLink, back: HTMLElement): Element[] {
  const note = made('p', reachable ? words.scan : words.local, 'label')
  const text = made('pre', link, 'line')
  text.tabIndex = 0
  text.setAttribute('aria-label', words.link)
  const choices = made('div', '', 'choices')
  choices.append(back)
  return [note, codeOf(picture), text, choices]
}

/** A row of `1` and `0` for each row of the code. */
function codeOf(rows: readonly string[]): SVGElement {
  const size = rows.length + 2 * QUIET
  const code = drawing('svg', { viewBox: `0 0 ${size} ${size}`, class: 'code-to-scan', role: 'img' })
  code.setAttribute('aria-label', words.code)
  const squares = rows.flatMap((row, y) =>
    row.split('').map((dark, x) => (dark === '1' ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '')))
  code.append(
    drawing('rect', { width: `${size}`, height: `${size}`, fill: '#fff' }),
    drawing('path', { d: squares.join(''), fill: '#000' }),
  )
  return code
}

function drawing(name: string, attributes: Record<string, string>): SVGElement {
  const element = document.createElementNS(SVG, name) as SVGElement
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  return element
}
