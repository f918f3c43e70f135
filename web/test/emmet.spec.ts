// Where short forms are known.
import { expect, test } from '@playwright/test'
import { syntaxOf } from '../src/workbench/emmet/syntaxes'

const settings = (values: Record<string, unknown>) => ({
  get: <T>(name: string, otherwise: T) => (values[name] as T | undefined) ?? otherwise,
})

test('they are known in HTML and CSS, and elsewhere when the person says so', () => {
  expect(syntaxOf('html', settings({}))).toEqual({ name: 'html', isStyle: false })
  expect(syntaxOf('scss', settings({}))).toEqual({ name: 'scss', isStyle: true })
  expect(syntaxOf('typescriptreact', settings({}))).toBe(undefined)
  const more = { typescriptreact: 'html', javascriptreact: 'javascriptreact', x: 'css' }
  const react = settings({ includeLanguages: more })
  expect(syntaxOf('typescriptreact', react)).toEqual({ name: 'jsx', isStyle: false })
  expect(syntaxOf('javascriptreact', react)).toEqual({ name: 'jsx', isStyle: false })
  expect(syntaxOf('x', react)).toEqual({ name: 'css', isStyle: true })
  expect(syntaxOf('html', settings({ excludeLanguages: ['html'] }))).toBe(undefined)
})
