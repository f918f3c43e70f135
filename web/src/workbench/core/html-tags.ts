// The tags of HTML, and those that have no end.

const VOID = 'area base br col embed hr img input link meta source track wbr'.split(' ')
const OTHERS = ('a abbr address article aside audio b bdi bdo blockquote body button canvas caption cite code colgroup '
  + 'data datalist dd del details dfn dialog div dl dt em fieldset figcaption figure footer form h1 h2 h3 h4 '
  + 'h5 h6 head header hgroup html i iframe ins kbd label legend li main map mark menu meter nav noscript '
  + 'object ol optgroup option output p picture pre progress q rp rt ruby s samp script search section select '
  + 'slot small span strong style sub summary sup svg table tbody td template textarea tfoot th thead time '
  + 'title tr u ul var video').split(' ')

const TAGS = new Set([...VOID, ...OTHERS])
const WITHOUT_END = new Set(VOID)

export function isTag(name: string): boolean {
  return TAGS.has(name)
}

export function isVoid(name: string): boolean {
  return WITHOUT_END.has(name.toLowerCase())
}
