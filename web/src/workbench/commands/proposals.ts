// Proposes values for arguments from what the person has at hand: the file, the cursor, the panes.
import { run } from '../../protocol/commands'
import type { Space } from '../../protocol/space'
import type { LayoutNode } from '../../protocol/state'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import { pathOf } from '../core/uris'
import type { Choice, Proposal, Proposals } from './arguments'

export function proposalsFrom(api: Api, space: Space): Proposals {
  return (argument) => {
    const editor = api.window.activeText()
    switch (argument) {
      case 'path':
      case 'file_path':
        return { value: pathOf(editor?.uri) }
      case 'line':
      case 'startLine':
      case 'start_line':
        return { value: editor?.selection.startLineNumber }
      case 'endLine':
      case 'end_line':
        return { value: editor?.selection.endLineNumber }
      case 'paneId':
      case 'targetPaneId':
      case 'besidePaneId':
      case 'firstPaneId':
      case 'secondPaneId':
        return { choices: panes(space) }
      case 'terminalId':
        return { choices: choices(space.part('terminals'), ({ title }) => title) }
      case 'highlightId':
        return { choices: choices(space.part('highlights'), ({ path, note }) => (note ? `${path}: ${note}` : path)) }
      case 'workspace_id':
        return { choices: choices(space.part('workspaces'), ({ name, root }) => name ?? root) }
      case 'trashed':
        return deleted()
      default:
        return {}
    }
  }
}

/** What can be brought back, by the path that it had. */
async function deleted(): Promise<Proposal> {
  const { items } = await run('openspace.file.list_deleted', {})
  const restorable = items.map(({ path, kind, deletedAt, trashed }) => ({
    value: trashed,
    label: kind === 'folder' ? `${path}/` : path,
    detail: strings.palette.deletedAt(new Date(deletedAt).toLocaleString()),
  }))
  return { choices: restorable, nothing: strings.palette.nothingDeleted }
}

/** The entries of a part, by their ids. */
function choices<T>(entries: Record<string, T>, detail: (entry: T) => string): Choice[] {
  return Object.entries(entries).map(([value, entry]) => ({ value, detail: detail(entry) }))
}

function panes(space: Space): Choice[] {
  const { main, bottom, right } = space.layout()
  const roots = [main, bottom.grid, right.grid].flatMap((grid) => (grid ? [grid.root] : []))
  const visit = (node: LayoutNode): Choice[] =>
    'pane' in node
      ? [{ value: node.pane.id, detail: node.pane.tabs.map(({ title }) => title).join(', ') }]
      : node.split.children.flatMap(visit)
  return roots.flatMap(visit)
}
