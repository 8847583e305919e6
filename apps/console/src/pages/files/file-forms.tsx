import { keepFolder } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { toast } from '../../api/toasts.ts'
import { text } from '../../text/text.ts'
import { type FormField, folderIn, typedIn } from '../../ui/form-fields.tsx'
import type { Form } from '../../ui/use-dialog.tsx'
import { copyEntries, deleteEntries, moveEntries, renameEntry, trashEntries } from './change-files.ts'
import { countOf, type Entry } from './entries.ts'
import { refreshFiles } from './file-queries.ts'

export type FileQuestion =
  | { dialog: 'folder' }
  | { dialog: 'rename'; entry: Entry }
  | { dialog: 'move' | 'copy' | 'trash' | 'delete'; entries: readonly Entry[] }

export function fileForm(vaultId: string, folder: string, question: FileQuestion): Form<void> {
  const { app, files: t } = text.value
  if (question.dialog === 'folder') {
    const work = (name: string) => makeFolder(vaultId, `${folder}${name}`)
    return { title: t.newFolder, submit: t.makeFolder, ...asking(nameField(t.newFolderName, 'path'), work) }
  }
  if (question.dialog === 'rename') {
    const { entry } = question
    const field = nameField(app.label, entry.kind === 'file' ? 'name' : 'to', entry.name)
    const work = (name: string) => renameEntry(vaultId, entry, name)
    return { title: t.renameTitle(entry.name), submit: t.rename, ...asking(field, work) }
  }
  const { dialog, entries } = question
  const children = <Names entries={entries} />
  if (dialog === 'trash') {
    return { title: app.trash, submit: app.trash, children, run: () => trashEntries(vaultId, entries) }
  }
  if (dialog === 'delete') {
    const run = () => deleteEntries(vaultId, entries)
    return { title: t.delete, submit: t.delete, text: t.deleteText, danger: true, children, run }
  }
  const field = { name: 'to', label: t.to, hint: t.toHint, defaultValue: folder, maxLength: 1024 }
  const count = countOf(entries)
  const change = dialog === 'move' ? moveEntries : copyEntries
  return {
    title: dialog === 'move' ? t.moveTitle(count) : t.copyTitle(count),
    submit: t[dialog],
    ...asking(field, (typed) => change(vaultId, entries, folderIn(typed))),
  }
}

const asking = (field: FormField & { name: string }, work: (typed: string) => Promise<void>) => ({
  fields: [field],
  run: (fields: FormData) => work(typedIn(fields, field.name)),
})

async function makeFolder(vaultId: string, path: string): Promise<void> {
  await keepFolder(client(), { vaultId, path })
  refreshFiles(vaultId)
  toast(text.value.app.made(path))
}

const namesMax = 5

function Names({ entries }: { entries: readonly Entry[] }) {
  return (
    <ul class="names">
      {entries.slice(0, namesMax).map(({ key, name }) => (
        <li key={key}>{name}</li>
      ))}
      {entries.length > namesMax && <li>… {text.value.files.selected(entries.length)}</li>}
    </ul>
  )
}

/** `name`: the field of the API. */
const nameField = (label: string, name: string, defaultValue = ''): FormField => ({
  name,
  label,
  required: true,
  maxLength: 255,
  pattern: '(?!\\.{1,2}$)[^\\/]*[^\\/\\s][^\\/]*',
  defaultValue,
})
