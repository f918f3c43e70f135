// What the menus hold, for `e2e/menus.spec.ts`: every entry of every menu, those that a person sees somewhere, and
// whether what they name can be run at all.
//
// A page from a server that was built for debugging offers it (`open.ts`); nothing of it is loaded before.
import { getService, ICommandService, IContextKeyService } from '@codingame/monaco-vscode-api'
import { allMenus, CommandsRegistry, isIMenuItem, MenuRegistry, type IMenuItem, type ISubmenuItem } from './upstream'

export interface Entry {
  menu: string
  command: string
  title: string
}

/** What a command may take before it is left to itself: many show something and wait for the person. */
const WAIT_MS = 40

/** Entries of any menu, shown or not, whose command nobody would run. */
export function entriesWithoutHandler(): Entry[] {
  return [...allMenus()].flatMap(([menu, id]) =>
    MenuRegistry.getMenuItems(id)
      .filter(isIMenuItem)
      .filter(({ when, command }) => when?.serialize() !== 'false' && !CommandsRegistry.getCommand(command.id))
      .map((item) => entryOf(menu, item)))
}

/** What a menu shows, with what its submenus show, when it is opened on an element. */
export async function shownOn(selector: string, menu: string): Promise<Entry[]> {
  const element = document.querySelector<HTMLElement>(selector)
  const id = allMenus().get(menu)
  if (!element || !id) throw new Error(`there is no ${element ? `menu ${menu}` : selector}`)
  const context = (await getService(IContextKeyService)).getContext(element)
  const look = (name: string, items: readonly (IMenuItem | ISubmenuItem)[]): Entry[] =>
    items
      .filter(({ when }) => when?.evaluate(context) ?? true)
      .flatMap((item) => {
        if (isIMenuItem(item)) return [entryOf(name, item)]
        return look(`${name} > ${wordOf(item.title)}`, MenuRegistry.getMenuItems(item.submenu))
      })
  return look(menu, MenuRegistry.getMenuItems(id))
}

/** Run each command as its entry does, and put away what it shows; gives those that failed, with why. */
export async function runAll(commands: readonly string[]): Promise<string[]> {
  const service = await getService(ICommandService)
  const failed: string[] = []
  for (const command of commands) {
    const ran = service.executeCommand(command).catch((error: unknown) => {
      failed.push(`${command}: ${error instanceof Error ? error.message : String(error)}`)
    })
    await Promise.race([ran, new Promise((resolve) => setTimeout(resolve, WAIT_MS))])
    await service.executeCommand('workbench.action.closeQuickOpen')
    document.querySelectorAll<HTMLElement>('.monaco-dialog-box .codicon-close').forEach((button) => button.click())
  }
  return failed
}

function entryOf(menu: string, { command }: IMenuItem): Entry {
  return { menu, command: command.id, title: wordOf(command.title) }
}

function wordOf(title: string | { value: string }): string {
  return typeof title === 'string' ? title : title.value
}
