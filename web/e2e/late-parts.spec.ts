// What comes after the first text: a person who asks for it earlier gets it, and what they type goes there.
import { editorOf, expectLines, goToLineEnd } from './editor'
import { screen, testWithTerminals as test } from './hands'
import type { Server } from './server'
import { expect, openPage, ready, tab, visibleText, type Agent, type Page } from './stage'

/** What the page loads after the first text. */
const REST = /\/upstream-late-[^/]*\.js$/

/** Holds back what the page asks for, until it is let go. */
async function holdBack(page: Page, what = REST): Promise<() => void> {
  let letGo = () => {}
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(what, async (route) => {
    await isLetGo
    await route.continue()
  })
  return letGo
}

/** A page waits for what the tabs need that it brings back: there is to be none. */
async function closeOwnTab(page: Page, server: Server, name: string): Promise<void> {
  await tab(page, name).locator('.codicon-close').click()
  await expect.poll(async () => {
    const { scopes } = await server.get<{ scopes: { workspace: Record<string, string> } }>('/api/ui-state')
    return scopes.workspace['openspace.ownTabs'] ?? ''
  }).not.toContain('workbench.input')
}

interface Case {
  keys: string[]
  typed: string
  /** Where it ends up. */
  lands: (page: Page, server: Server) => Promise<void>
}

const SETTINGS_BOX = '.settings-editor .suggest-input-container .view-lines'
const QUICK_INPUT = '.quick-input-widget input'

const CASES: Case[] = [
  {
    keys: ['Control+,'], typed: 'font li',
    lands: async (page, server) => {
      await expect(page.locator(SETTINGS_BOX)).toHaveText(/^font\sli$/)
      await closeOwnTab(page, server, 'Settings')
    },
  },
  {
    keys: ['Control+K', 'Control+S'], typed: 'copy',
    lands: async (page, server) => {
      await expect(page.locator('.keybindings-editor .keybindings-header input')).toHaveValue('copy')
      await closeOwnTab(page, server, 'Keyboard Shortcuts')
    },
  },
  {
    keys: ['F1'], typed: 'Find in Files',
    lands: async (page) => {
      await expect(page.locator(QUICK_INPUT).first()).toHaveValue('>Find in Files')
      await expect(page.locator('.quick-input-list .monaco-list-row').first()).toContainText('Find in Files')
    },
  },
]

test('keys of what is still being loaded wait for it, and what is typed goes there', async ({
  context, server, agent, complaints,
}) => {
  test.slow()
  await agent.call('editor_open', { path: 'README.md' })
  const page = await openPage(context, server.ready.open, complaints)
  for (const { keys, typed, lands } of CASES) {
    await test.step(keys.join(' '), async () => {
      const letGo = await holdBack(page)
      await page.reload()
      await page.waitForSelector('html[data-openspace="ready"]', { state: 'attached' })
      await goToLineEnd(page, 'README.md', 3)
      for (const key of keys) await page.keyboard.press(key)
      await page.keyboard.type(`${typed}x`)
      await page.keyboard.press('Backspace')
      expect(await visibleText(page, 'README.md')).toContain('A small project.')
      letGo()
      await ready(page)
      await lands(page, server)
      await page.unrouteAll()
      expect((await agent.call('editor_read_file', { path: 'README.md' })).content).toBe('# Demo\n\nA small project.\n')
    })
  }
})

test('a command that is chosen in the palette as soon as the workbench shows is run', async ({
  context, server, agent, complaints,
}) => {
  await agent.call('editor_open', { path: 'README.md' })
  const page = await openPage(context, server.ready.open, complaints)
  const letGo = await holdBack(page)
  await page.reload()
  await page.waitForSelector('.part.sidebar')
  await page.keyboard.press('F1')
  await page.keyboard.type('about')
  await page.keyboard.press('Enter')
  letGo()
  await ready(page)
  await expect(page.locator('.monaco-dialog-box')).toContainText('OpenSpace')
})

test('keys that are no text keep their place, and a file is there for its own keys all the time', async ({
  context, server, agent, complaints,
}) => {
  await agent.call('editor_open', { path: 'README.md' })
  const page = await openPage(context, server.ready.open, complaints)
  const letGo = await holdBack(page)
  await page.reload()
  await page.waitForSelector('html[data-openspace="ready"]', { state: 'attached' })
  await goToLineEnd(page, 'README.md', 3)
  await page.keyboard.type(' Typed.')
  await expectLines(page, 'README.md', ['# Demo', '', 'A small project. Typed.', ''])
  await page.keyboard.press('Control+Shift+F')
  await page.keyboard.type('line_7')
  await page.keyboard.press('Enter')
  letGo()
  await ready(page)
  await expect(page.locator('.search-view .monaco-list-row', { hasText: 'line_7' }).first()).toBeVisible()
  await expectLines(page, 'README.md', ['# Demo', '', 'A small project. Typed.', ''])
  // The keyboard is the file's again when it is clicked.
  await editorOf(page, 'README.md').locator('.view-lines').click()
  await goToLineEnd(page, 'README.md', 1)
  await page.keyboard.type('!')
  await expectLines(page, 'README.md', ['# Demo!', '', 'A small project. Typed.', ''])
})

const WHILE_IT_COMES = 'zqabcdefghijklmnopqrstuvwxyz0123456789'

const TAKERS: { key: string; typed: (page: Page) => Promise<string> }[] = [
  { key: 'Control+p', typed: (page) => page.locator(QUICK_INPUT).first().inputValue() },
  { key: 'F1', typed: async (page) => (await page.locator(QUICK_INPUT).first().inputValue()).replace('>', '') },
  { key: 'Control+Shift+F', typed: (page) => page.locator('.search-widget textarea').first().inputValue() },
  // A shell that is just starting shows what is typed above its prompt, too.
  { key: 'Control+`', typed: async (page) => (await screen(page)).replace(/^.*[$#] /s, '') },
  { key: 'Control+,', typed: (page) => page.locator(SETTINGS_BOX).innerText() },
]

test('what is typed while something comes and takes the keyboard is whole and in order', async ({
  context, server, agent, complaints,
}) => {
  test.slow()
  await agent.call('editor_open', { path: 'README.md' })
  const page = await openPage(context, server.ready.open, complaints)
  // As on a busy machine, where what comes has the keyboard long before it is ready for it.
  await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: 3 })
  for (const { key, typed } of TAKERS) {
    await test.step(key, async () => {
      const letGo = await holdBack(page)
      await page.reload()
      await page.waitForSelector('html[data-openspace="ready"]', { state: 'attached' })
      await page.keyboard.press(key)
      await page.keyboard.type(WHILE_IT_COMES.slice(0, 5))
      await page.keyboard.type(WHILE_IT_COMES.slice(5, 8), { delay: 40 })
      letGo()
      await page.keyboard.type(WHILE_IT_COMES.slice(8), { delay: 40 })
      await ready(page)
      await expect.poll(() => typed(page), { timeout: 30_000 }).toBe(WHILE_IT_COMES)
      await page.unrouteAll()
      await page.keyboard.press('Escape')
    })
  }
  expect((await agent.call('editor_read_file', { path: 'README.md' })).content).toBe('# Demo\n\nA small project.\n')
})

test('keys from the time before the page has its layout are for what it shows then', async ({
  context, server, agent, complaints,
}) => {
  test.slow()
  await agent.call('editor_open', { path: 'README.md' })
  await agent.call('pane_open', { type: 'editor', contentId: 'notes/todo.txt', newPane: true })
  const page = await openPage(context, server.ready.open, complaints)
  const sideBar = page.locator('.part.sidebar')
  const before = await sideBar.boundingBox()
  const groups = page.locator('.editor-group-container')
  await expect(groups).toHaveCount(2)
  await goToLineEnd(page, 'todo.txt', 1)
  const early = async (keys: string[], typed: string) => {
    // The layout waits for the files that it shows.
    const letGo = await holdBack(page, /\/api\/files\/content\?.*todo\.txt/)
    await page.reload()
    await page.waitForSelector('.part.sidebar')
    for (const key of keys) await page.keyboard.press(key)
    await page.keyboard.type(typed)
    letGo()
    await ready(page)
    await page.unrouteAll()
  }
  await test.step('a text', async () => {
    await early([], ' typed early')
    await expectLines(page, 'todo.txt', ['first typed early', 'second', 'third', ''])
  })
  await test.step('a search', async () => {
    await early(['Control+Shift+F'], 'line_7')
    await expect(page.locator('.search-widget textarea').first()).toHaveValue('line_7')
  })
  await test.step('settings', async () => {
    await early(['Control+,'], 'font li')
    await expect(page.locator(SETTINGS_BOX)).toHaveText(/^font\sli$/)
    await expect(groups).toHaveCount(2)
    await expect.poll(() => sideBar.boundingBox()).toEqual(before)
  })
})

/** Pressed while nothing of the workbench is there. Text stands for itself. */
const AT_FIRST: { keys: string[]; does: (page: Page, agent: Agent) => Promise<void> }[] = [
  {
    // What has no key of its own the browser types.
    keys: [' früh', 'Enter', 'typed'],
    does: async (page, agent) => {
      await expectLines(page, 'README.md', ['# Demo', '', 'A small project. früh', 'typed', ''])
      const kept = async () => (await agent.call('editor_read_file', { path: 'README.md' })).content
      await expect.poll(kept).toBe('# Demo\n\nA small project. früh\ntyped\n')
    },
  },
  {
    keys: ['Control+b'],
    does: (page) => expect(page.locator('.part.sidebar')).toBeHidden(),
  },
  {
    keys: ['F1', 'toggle primary side bar vis', 'Enter'],
    does: (page) => expect(page.locator('.part.sidebar')).toBeVisible(),
  },
  {
    keys: ['Control+k', 'm', 'plain t'],
    does: async (page) => {
      await expect(page.locator(QUICK_INPUT).first()).toHaveValue('plain t')
      await page.keyboard.press('Escape')
    },
  },
  {
    keys: ['Control+Shift+F', 'line_77', 'Enter'],
    does: async (page) => {
      await expect(page.locator('.search-view .monaco-list-row', { hasText: 'line_77' }).first()).toBeVisible()
      // The keyboard comes back to where it was.
      await goToLineEnd(page, 'README.md', 4)
    },
  },
  {
    keys: ['Control+p', 'lib.rs', 'Enter'],
    does: (page) => expect(tab(page, 'lib.rs')).toBeVisible(),
  },
]

test('keys from the page’s first moment on wait for the workbench', async ({ context, server, agent, complaints }) => {
  test.slow()
  await agent.call('editor_open', { path: 'README.md' })
  const page = await openPage(context, server.ready.open, complaints)
  await goToLineEnd(page, 'README.md', 3)
  for (const { keys, does } of AT_FIRST) {
    await test.step(keys.join(' '), async () => {
      const letGo = await holdBack(page, /\/assets\/start-[^/]*\.js$/)
      await page.reload()
      await expect(page.locator('#boot')).toBeVisible()
      for (const key of keys) {
        if (/^(?:Control\+.+|F1|Enter)$/.test(key)) await page.keyboard.press(key)
        else await page.keyboard.type(key)
      }
      // Nothing can be meant by it yet.
      await page.locator('#boot').click()
      letGo()
      await ready(page)
      await does(page, agent)
      await page.unrouteAll()
    })
  }
  await test.step('but for those that the browser needs', async () => {
    const letGo = await holdBack(page, /\/assets\/start-[^/]*\.js$/)
    await page.reload()
    const taken = await page.evaluateHandle(() => {
      const keys: string[] = []
      window.addEventListener('keydown', ({ key, defaultPrevented }) => {
        if (defaultPrevented) keys.push(key)
      }, { capture: true })
      return keys
    })
    for (const key of ['F5', 'Control+l', 'F12', 'Control+Shift+i', 'Control+p']) await page.keyboard.press(key)
    expect(await taken.jsonValue()).toEqual(['p'])
    letGo()
    await ready(page)
    await expect(page.locator(QUICK_INPUT).first()).toBeFocused()
  })
  const { content } = await agent.call('editor_read_file', { path: 'README.md' })
  expect(content).toBe('# Demo\n\nA small project. früh\ntyped\n')
})
