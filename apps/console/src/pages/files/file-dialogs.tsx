import { type Signal, useSignal } from '@preact/signals'
import { keepFolder } from '@tideport/sdk'
import type { ComponentChildren } from 'preact'
import { client } from '../../api/client.ts'
import { toast } from '../../app/toasts.ts'
import { text } from '../../text/text.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { copyEntries, deleteEntries, moveEntries, renameEntry, trashEntries } from './change-files.ts'
import { countOf, type Entry } from './entries.ts'
import { refreshFiles } from './file-queries.ts'

export type OpenDialog =
  | { dialog: 'folder' }
  | { dialog: 'rename'; entry: Entry }
  | { dialog: 'move' | 'copy' | 'trash' | 'delete'; entries: readonly Entry[] }

interface FileDialogsProps {
  vaultId: string
  folder: string
  open: Signal<OpenDialog | null>
  onDone: () => void
}

/** The dialog that is open, if one is. */
export function FileDialogs({ vaultId, folder, open, onDone }: FileDialogsProps) {
  const t = text.value.files
  const { value } = open
  if (value === null) return null
  const close = () => {
    open.value = null
  }
  const ask = (title: string, submit: string, work: (typed: string) => Promise<void>, body: ComponentChildren) => (
    <Ask
      title={title}
      submit={submit}
      danger={value.dialog === 'delete'}
      onClose={close}
      work={async (typed) => {
        await work(typed)
        close()
        onDone()
      }}
    >
      {body}
    </Ask>
  )
  if (value.dialog === 'folder') {
    const make = (name: string) => makeFolder(vaultId, `${folder}${name}`)
    return ask(t.newFolder, t.makeFolder, make, <NameField label={t.newFolderName} name="path" />)
  }
  if (value.dialog === 'rename') {
    const { entry } = value
    const rename = (name: string) => renameEntry(vaultId, entry, name)
    const field = <NameField label={t.name} name={entry.kind === 'file' ? 'name' : 'to'} value={entry.name} />
    return ask(t.renameTitle(entry.name), t.rename, rename, field)
  }
  const { entries, dialog } = value
  if (dialog === 'trash')
    return ask(t.trash, t.trash, () => trashEntries(vaultId, entries), <Names entries={entries} />)
  if (dialog === 'delete') {
    const body = (
      <>
        <p>{t.deleteText}</p>
        <Names entries={entries} />
      </>
    )
    return ask(t.delete, t.delete, () => deleteEntries(vaultId, entries), body)
  }
  const target = (
    <Field
      label={t.to}
      hint={t.toHint}
      input={{ name: 'to', defaultValue: folder, maxLength: 1024, autocomplete: 'off' }}
    />
  )
  return dialog === 'move'
    ? ask(t.moveTitle(countOf(entries)), t.move, (to) => moveEntries(vaultId, entries, folderOf(to)), target)
    : ask(t.copyTitle(countOf(entries)), t.copy, (to) => copyEntries(vaultId, entries, folderOf(to)), target)
}

/** As people type it: `2026/photos`. */
const folderOf = (typed: string): string => {
  const path = typed.trim().replace(/^\/+|\/+$/g, '')
  return path === '' ? '' : `${path}/`
}

async function makeFolder(vaultId: string, path: string): Promise<void> {
  await keepFolder(client(), { vaultId, path })
  refreshFiles(vaultId)
  toast(text.value.files.madeFolder(path))
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

/** `name`: what the API calls what is typed. */
function NameField({ label, name, value }: { label: string; name: string; value?: string }) {
  const input = {
    name,
    required: true,
    maxLength: 255,
    autocomplete: 'off',
    pattern: '(?!\\.{1,2}$)[^\\/]*[^\\/\\s][^\\/]*',
  }
  return <Field label={label} input={{ ...input, ...(value !== undefined && { defaultValue: value }) }} />
}

interface AskProps {
  title: string
  submit: string
  danger: boolean
  work: (typed: string) => Promise<void>
  onClose: () => void
  children: ComponentChildren
}

function Ask({ title, submit, danger, work, onClose, children }: AskProps) {
  const busy = useSignal(false)
  const error = useSignal<unknown>(null)
  return (
    <FormDialog
      title={title}
      submit={submit}
      danger={danger}
      busy={busy.value}
      error={error.value}
      onClose={onClose}
      onSubmit={(fields) => {
        busy.value = true
        const [typed = ''] = fields.values()
        work(String(typed).trim()).catch((cause: unknown) => {
          error.value = cause
          busy.value = false
        })
      }}
    >
      {children}
    </FormDialog>
  )
}
