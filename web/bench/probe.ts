// What is put into the page before it starts: it notices by itself, and by the page's own clock, when
// something is there. Asking the page again and again from outside would measure the asking.
//
// It changes nothing in the page.

/** Milliseconds since 1970, with fractions; the same clock as in Node. */
export interface Sighting {
  inDocument: number
  /** The frame after that: what was put into the document is on the screen by then. */
  shown: number
}

/** What the page's main thread did meanwhile, in milliseconds. */
export interface Work {
  /** Tasks of 50 ms and more, the only ones that a browser tells of. */
  longTasks: number[]
  frames: number[]
}

interface Probe {
  now(): number
  /** Start to look out for the first element that matches and holds the text, or for there being none. */
  expect(selector: string, text: string, isThere: boolean): void
  /** What was last expected. */
  seen: Promise<Sighting>
  /** Start to look out for a terminal's cursor in its first row, far from the left, where no line of output ends. */
  expectCursorAtTop(): void
  watchWork(): void
  work(): Work
}

declare global {
  interface Window {
    probe: Probe
  }
}

/** Runs in the page: it can use nothing from outside itself. */
export function installProbe(): void {
  const now = (): number => performance.timeOrigin + performance.now()
  const tasks: PerformanceEntry[] = []
  let times: number[] = []

  const look = (isFound: () => boolean): Promise<Sighting> =>
    new Promise((resolve) => {
      const check = () => {
        if (!isFound()) return
        observer.disconnect()
        const inDocument = now()
        requestAnimationFrame(() => resolve({ inDocument, shown: now() }))
      }
      const observer = new MutationObserver(check)
      const everything = { subtree: true, childList: true, characterData: true, attributes: true }
      observer.observe(document, { ...everything, attributeFilter: ['class', 'style'] })
      check()
    })

  const probe: Probe = {
    now,
    seen: Promise.reject(new Error('nothing is expected')),
    expect(selector, text, isThere) {
      const holds = (element: Element) => (element.textContent ?? '').includes(text) && element.checkVisibility()
      probe.seen = look(() => [...document.querySelectorAll(selector)].some(holds) === isThere)
    },
    // Terminals are drawn by WebGL and leave no text in the document, but their keyboard field goes where
    // the cursor is.
    expectCursorAtTop() {
      const isThere = (field: HTMLElement) => parseFloat(field.style.top) === 0 && parseFloat(field.style.left) > 200
      probe.seen = look(() => [...document.querySelectorAll<HTMLElement>('.xterm-helper-textarea')].some(isThere))
    },
    watchWork() {
      tasks.length = 0
      times = []
      const mine = times
      const frame = (time: number) => {
        mine.push(time)
        if (mine === times) requestAnimationFrame(frame)
      }
      requestAnimationFrame(frame)
      new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: 'longtask' })
    },
    work() {
      const all = times
      times = []
      const frames = all.slice(1).map((time, index) => time - (all[index] ?? time))
      return { longTasks: tasks.map(({ duration }) => duration), frames }
    },
  }
  probe.seen.catch(() => {})
  window.probe = probe
}
