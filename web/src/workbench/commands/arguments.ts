// Asks a person for a command's arguments: a form in the quick input, drawn from the schema.
//
// Required ones are asked for first; then every argument can be looked at and changed before the
// command runs. Nothing is sent that the schema does not name, and nothing is guessed silently: what
// is taken from the editor at hand is shown as a proposal.
import type { CatalogueEntry, JsonSchema } from '../../protocol/commands'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { IQuickPickItem } from '../core/upstream'

/** Something that can be chosen; it is shown as `label`, or as the value when there is none. */
export interface Choice {
  value: unknown
  label?: string
  detail?: string
}

/** What the page can propose for an argument. */
export interface Proposal {
  value?: unknown
  choices?: Choice[]
  /** What to tell the person when there is nothing to choose from; then there is nothing to run either. */
  nothing?: string
}

/** Values that the page can propose for arguments of a name. */
export type Proposals = (argument: string) => Proposal | Promise<Proposal>

interface Argument {
  name: string
  schema: JsonSchema
  isRequired: boolean
}

type Values = Record<string, unknown>

const words = strings.form

/** The arguments as the person gave them; `undefined` when they turned away. */
export async function askArguments(
  api: Api, entry: CatalogueEntry, proposals: Proposals,
): Promise<Values | undefined> {
  const root = entry.inputSchema
  const all = Object.entries(root.properties ?? {}).map(([name, schema]): Argument => {
    return { name, schema: resolved(schema, root), isRequired: root.required?.includes(name) ?? false }
  })
  const values: Values = {}
  const required = all.filter(({ isRequired }) => isRequired)
  for (const [index, argument] of required.entries()) {
    const step = required.length > 1 ? ` (${index + 1}/${required.length})` : ''
    const answer = await askOne(api, entry.title + step, argument, undefined, proposals)
    if (!answer) return undefined
    values[argument.name] = answer.value
  }
  return all.length === required.length ? values : review(api, entry, all, values, proposals)
}

/** The form: each argument with its value, and the way to run. */
async function review(
  api: Api, entry: CatalogueEntry, all: Argument[], values: Values, proposals: Proposals,
): Promise<Values | undefined> {
  for (;;) {
    const items = [
      { label: `$(play) ${words.run(entry.title)}`, argument: undefined },
      ...all.map((argument) => ({
        label: argument.name,
        description: argument.name in values ? shown(values[argument.name], argument.schema) : words.notSet,
        detail: firstLine(argument.schema.description),
        argument,
      })),
    ]
    const choice = await api.window.showQuickPick(items, {
      title: entry.title, placeHolder: words.review, matchOnDescription: true, ignoreFocusLost: true,
    })
    if (!choice) return undefined
    if (!choice.argument) return values
    const { name } = choice.argument
    const answer = await askOne(api, entry.title, choice.argument, values[name], proposals)
    if (!answer) continue
    if (answer.value === undefined) delete values[name]
    else values[name] = answer.value
  }
}

type Answer = { value: unknown } | undefined

async function askOne(
  api: Api, title: string, argument: Argument, current: unknown, proposals: Proposals,
): Promise<Answer> {
  const { name, schema, isRequired } = argument
  const proposal = await proposals(name)
  const choices = choicesOf(schema) ?? proposal.choices
  if (choices && choices.length > 0) return choose(api, title, argument, current, choices)
  if (proposal.nothing) {
    void api.window.showInformationMessage(proposal.nothing)
    return undefined
  }
  const proposed = current ?? proposal.value ?? schema.default
  const typed = await api.window.showInputBox({
    title,
    prompt: described(name, schema),
    // A secret is shown to nobody, and nobody proposes one.
    password: schema.writeOnly === true,
    value: proposed === undefined || proposed === null ? '' : asText(proposed),
    placeHolder: isRequired ? kindOf(schema) : `${kindOf(schema)}, ${words.optional}`,
    ignoreFocusLost: true,
    validateInput: (text) => parse(text, schema, isRequired).problem,
  })
  if (typed === undefined) return undefined
  return { value: parse(typed, schema, isRequired).value }
}

async function choose(
  api: Api, title: string, { name, schema, isRequired }: Argument, current: unknown,
  choices: Choice[],
): Promise<Answer> {
  const items: (IQuickPickItem & { value: unknown })[] = choices.map(({ value, label, detail }) => {
    return { label: label ?? asText(value), description: value === current ? words.now : undefined, detail, value }
  })
  if (!isRequired) items.push({ label: words.leaveOut, value: undefined })
  const placeHolder = described(name, schema)
  const choice = await api.window.showQuickPick(items, { title, placeHolder, ignoreFocusLost: true })
  return choice && { value: choice.value }
}

/** The values that a schema lists. */
function choicesOf(schema: JsonSchema): Choice[] | undefined {
  if (schema.enum) return schema.enum.filter((value) => value !== null).map((value) => ({ value }))
  const variants = schema.oneOf ?? schema.anyOf
  if (variants?.every(({ const: value }) => value !== undefined)) {
    return variants.map(({ const: value, description }) => ({ value, detail: firstLine(description) }))
  }
  return typesOf(schema).includes('boolean') ? [{ value: true }, { value: false }] : undefined
}

/** What was typed as the schema wants it, or why it is not. */
export function parse(text: string, schema: JsonSchema, isRequired: boolean): { value?: unknown; problem?: string } {
  const types = typesOf(schema)
  if (text === '' && !isRequired) return {}
  if (types.includes('integer') || types.includes('number')) {
    const number = Number(text)
    if (text.trim() === '' || !Number.isFinite(number)) return { problem: words.number }
    if (types.includes('integer') && !Number.isInteger(number)) return { problem: words.integer }
    if (schema.minimum !== undefined && number < schema.minimum) return { problem: words.atLeast(schema.minimum) }
    if (schema.maximum !== undefined && number > schema.maximum) return { problem: words.atMost(schema.maximum) }
    return { value: number }
  }
  if (types.includes('string')) return text === '' && isRequired ? { problem: words.required } : { value: text }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { problem: words.json }
  }
}

/** A schema without references, and without the `null` that only says that it may be left out. */
function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const name = schema.$ref?.replace('#/$defs/', '')
  if (name) {
    const named = resolved(root.$defs?.[name] ?? {}, root)
    return { ...named, description: schema.description ?? named.description }
  }
  const variants = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== 'null')
  if (variants?.length === 1 && variants[0]) {
    return { ...resolved(variants[0], root), description: schema.description ?? variants[0].description }
  }
  return schema
}

function typesOf({ type }: JsonSchema): string[] {
  return Array.isArray(type) ? type : type ? [type] : []
}

function kindOf(schema: JsonSchema): string {
  const type = typesOf(schema).find((word) => word !== 'null')
  return type === 'array' || type === 'object' || type === undefined ? words.jsonValue : type
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function shown(value: unknown, { writeOnly }: JsonSchema): string {
  if (writeOnly) return '••••'
  const text = asText(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function described(name: string, { description }: JsonSchema): string {
  return description ? `${name}: ${firstLine(description)}` : name
}

function firstLine(text: string | undefined): string | undefined {
  return text?.split('\n', 1)[0]
}
