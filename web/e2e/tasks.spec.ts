// Tasks: a person runs them from the palette in terminals that agents see, and what they find is in the problems.
import { editorOf, linesOf, openFile } from './editor'
import { notice, screen, testWithTerminals as test } from './hands'
import { expect, palette, picture, tab } from './stage'

const TASKS = `{
  // Written by hand.
  "version": "2.0.0",
  "tasks": [
    {
      "label": "make it", "type": "shell", "command": "cat out.txt; echo made-$((40 + 2))",
      "group": { "kind": "build", "isDefault": true }, "problemMatcher": "$gcc",
    },
    { "label": "greet", "type": "shell", "command": "echo hello \${input:who} in \${relativeFile}" },
    { "label": "watch", "type": "shell", "command": "sleep 1000", "isBackground": true },
    { "label": "check", "type": "shell", "command": "echo checked", "group": "test" },
  ],
  "inputs": [{ "id": "who", "type": "promptString", "description": "Whom to greet" }],
}
`

test.use({
  files: {
    '.vscode/tasks.json': TASKS,
    'main.c': 'int main() {\n  return oops;\n}\n',
    'out.txt': "main.c:2:10: error: 'oops' undeclared\n",
    'package.json': '{ "scripts": { "lint": "true" } }\n',
  },
})

const picks = '.quick-input-list .monaco-list-row'

test('the build task runs in a terminal, what it finds is underlined, and it runs again', async ({ ide, agent }) => {
  await openFile(ide, 'main.c')
  await ide.keyboard.press('Control+Shift+b')
  await expect.poll(() => screen(ide)).toContain('made-42')
  await expect(editorOf(ide, 'main.c').locator('.squiggly-error')).toBeAttached()
  await expect(ide.locator('.part.panel').getByText('make it')).toBeVisible()
  await picture(ide, 'task-build')
  const { runs } = await agent.call('task_list')
  expect(runs).toMatchObject([{ task: 'make it', state: 'ended', exitCode: 0, problems: 1, startedAs: 'person' }])
  // What is not saved would not be built.
  await agent.call('workspace_write', { file_path: 'out.txt', content: '' })
  await editorOf(ide, 'main.c').locator('.view-lines').click()
  await ide.keyboard.press('Control+Home')
  await ide.keyboard.type('// new\n')
  await palette(ide, 'Tasks: Rerun Last Task')
  await expect(editorOf(ide, 'main.c').locator('.squiggly-error')).toHaveCount(0)
  await expect(tab(ide, 'main.c')).not.toHaveClass(/dirty/)
})

test('a task is chosen, asks what it needs to know, and one that goes on is terminated', async ({ ide }) => {
  await openFile(ide, 'main.c')
  await palette(ide, 'Tasks: Run Task…')
  await expect(ide.locator(picks, { hasText: 'npm: lint' })).toBeVisible()
  await picture(ide, 'task-choice')
  await ide.locator(picks, { hasText: 'greet' }).click()
  await expect(ide.locator('.quick-input-widget')).toContainText('Whom to greet')
  await ide.keyboard.type('you')
  await ide.keyboard.press('Enter')
  await expect.poll(() => screen(ide)).toContain('hello you in main.c')
  await palette(ide, 'Tasks: Run Test Task')
  await expect.poll(() => screen(ide)).toContain('checked')
  await palette(ide, 'Tasks: Run Task…')
  await ide.locator(picks, { hasText: 'watch' }).click()
  const status = ide.locator('#openspace\\.tasks')
  await expect(status).toContainText('watch')
  await palette(ide, 'Tasks: Terminate Task')
  await expect(status).toHaveCount(0)
})

test('what cannot be run says why, and the file of tasks is opened', async ({ ide, agent }) => {
  await agent.call('file_write', {
    path: '.vscode/tasks.json', content: '{ "tasks": [{ "label": "old", "type": "gulp" }] }',
  })
  await palette(ide, 'Tasks: Run Task…')
  await ide.locator(picks, { hasText: 'old' }).click()
  await expect(notice(ide, /tasks of the type `gulp` need an extension/)).toBeVisible()
  await palette(ide, 'Tasks: Configure Tasks')
  await expect(tab(ide, 'tasks.json')).toBeVisible()
})

test('without a file of tasks one is begun', async ({ ide, agent }) => {
  await agent.call('file_delete', { path: '.vscode/tasks.json' })
  await palette(ide, 'Tasks: Configure Tasks')
  await expect.poll(() => linesOf(ide, 'tasks.json')).toContain('  "version": "2.0.0",')
})
