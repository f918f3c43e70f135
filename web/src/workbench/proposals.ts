// Proposes values for arguments from what the person has at hand: the file, the cursor, the panes.
import type * as vscode from 'vscode'
import type { Space } from '../protocol/space'
import type { LayoutNode } from '../protocol/state'
import type { Proposals } from './arguments'
import { pathOf } from './place'

export function proposalsFrom(api: typeof vscode, space: Space): Proposals {
  return (argument) => {
    const editor = api.window.activeTextEditor
    switch (argument) {
      case 'path':
      case 'file_path':
        return { value: pathOf(editor?.document.uri) }
      case 'line':
      case 'startLine':
      case 'start_line':
        return { value: editor && editor.selection.start.line + 1 }
      case 'endLine':
      case 'end_line':
        return { value: editor && editor.selection.end.line + 1 }
      case 'paneId':
      case 'targetPaneId':
        return { choices: panes(space) }
      case 'terminalId':
        return { choices: Object.entries(space.part('terminals')).map(([value, { title }]) => ({ value, detail: title })) }
      case 'highlightId': {
        const highlights = Object.entries(space.part('highlights'))
        return { choices: highlights.map(([value, { path, note }]) => ({ value, detail: note ? `${path}: ${note}` : path })) }
      }
      default:
        return {}
    }
  }
}

function panes(space: Space): { value: string; detail: string }[] {
  const { main, bottom, right } = space.part('layout')
  const roots = [main.root, bottom.grid?.root, right.grid?.root].filter((root): root is LayoutNode => root !== undefined)
  const visit = (node: LayoutNode): { value: string; detail: string }[] =>
    'pane' in node
      ? [{ value: node.pane.id, detail: node.pane.tabs.map(({ title }) => title).join(', ') }]
      : node.split.children.flatMap(visit)
  return roots.flatMap(visit)
}
