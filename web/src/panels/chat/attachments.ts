// What goes with the words of a prompt: files and lines of them, texts from elsewhere, pictures.
import type { Attachment } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { icon, iconButton, KeyedList, made, type View } from './dom'

const words = strings.chat

export type { Attachment }

/** Attachments of one prompt. */
export const MOST_ATTACHMENTS = 30
/** Bytes of a picture that can be sent. */
export const LARGEST_PICTURE = 5 * 1024 * 1024
export const PICTURE_KINDS: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export function nameOfAttachment(attachment: Attachment): string {
  switch (attachment.type) {
    case 'file': {
      const { path, line, endLine } = attachment
      if (!line) return path
      return !endLine || endLine === line ? `${path}:${line}` : `${path}:${line}-${endLine}`
    }
    case 'text':
      return attachment.title
    case 'image':
      return attachment.name ?? words.picture
    case 'agent':
      return `@${attachment.name}`
  }
}

const ICONS = { file: 'file', text: 'note', agent: 'organization' } as const

export class Attachments {
  readonly element = made('ul', '', 'attachments')
  private readonly chips: KeyedList<Attachment, View>
  private list: Attachment[] = []

  constructor(private readonly changed: () => void) {
    this.element.setAttribute('aria-label', words.attachments)
    this.chips = new KeyedList(this.element, keyOf, (attachment) => this.chip(attachment), () => undefined)
    this.draw()
  }

  get all(): readonly Attachment[] {
    return this.list
  }

  /** The same is added once; whether there was room. */
  add(attachment: Attachment): boolean {
    if (this.list.some((known) => keyOf(known) === keyOf(attachment))) return true
    if (this.list.length >= MOST_ATTACHMENTS) return false
    this.replace([...this.list, attachment])
    this.changed()
    return true
  }

  replace(attachments: readonly Attachment[]): void {
    this.list = [...attachments]
    this.draw()
  }

  private draw(): void {
    this.chips.show(this.list)
    this.element.hidden = this.list.length === 0
  }

  private chip(attachment: Attachment): View {
    const element = made('li', '', 'chip')
    const name = nameOfAttachment(attachment)
    if (attachment.type === 'image') {
      const picture = made('img')
      picture.src = `data:${attachment.mime};base64,${attachment.base64}`
      picture.alt = ''
      element.append(picture)
    } else element.append(icon(ICONS[attachment.type]))
    const label = made('span', name)
    label.title = attachment.type === 'text' ? attachment.text.slice(0, 1_000) : name
    const remove = iconButton('close', words.removeAttachment(name), () => {
      this.replace(this.list.filter((other) => other !== attachment))
      this.changed()
    })
    element.append(label, remove)
    return { element }
  }
}

function keyOf(attachment: Attachment): string {
  const body = attachment.type === 'text' ? attachment.text : attachment.type === 'image' ? attachment.base64 : ''
  return `${attachment.type} ${nameOfAttachment(attachment)} ${body.length} ${body.slice(-64)}`
}

/** A picture that was pasted or dropped, or why it cannot be taken. */
export async function pictureOf(file: File): Promise<Attachment | string> {
  if (!PICTURE_KINDS.has(file.type)) return words.noPicture(file.name)
  if (file.size > LARGEST_PICTURE) return words.pictureTooLarge(file.name, LARGEST_PICTURE)
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  const step = 32_768
  for (let at = 0; at < bytes.length; at += step) binary += String.fromCharCode(...bytes.subarray(at, at + step))
  return { type: 'image', name: file.name || words.picture, mime: file.type, base64: btoa(binary) }
}
