import { useRef } from 'preact/hooks'
import { toastError } from '../../api/toasts.ts'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { Button } from '../../ui/button.tsx'
import { filesOfInput, type PickedFile, pickFiles, pickFolder } from '../../uploads/picked-files.ts'
import type { Target } from '../../uploads/uploads.ts'
import { CommandButton } from '../resource/command-button.tsx'
import { addPicked } from './drop-zone.tsx'
import type { FileQuestion } from './file-forms.tsx'
import type { Go, Place } from './place.ts'
import { SearchField } from './search-field.tsx'

interface FileToolsProps {
  target: Target
  /** False while the vault's key is locked. */
  mayUpload: boolean
  place: Place
  go: Go
  ask: (question: FileQuestion) => void
}

export function FileTools({ target, mayUpload, place, go, ask }: FileToolsProps) {
  const t = text.value.files
  return (
    <div class="file-tools">
      <SearchField place={place} go={go} />
      <LabelFilter place={place} go={go} />
      <select
        aria-label={t.order}
        value={place.order}
        onChange={(event) => go({ order: event.currentTarget.value === 'desc' ? 'desc' : 'asc' })}
      >
        <option value="asc">{t.ascending}</option>
        <option value="desc">{t.descending}</option>
      </select>
      <CommandButton keys="n" label={t.newFolder} run={() => ask({ dialog: 'folder' })} />
      {mayUpload && <UploadButtons target={target} />}
    </div>
  )
}

function UploadButtons({ target }: { target: Target }) {
  const t = text.value.files
  const files = useRef<HTMLInputElement>(null)
  const folders = useRef<HTMLInputElement>(null)
  const pick = (ask: () => Promise<PickedFile[] | null>, input: HTMLInputElement | null) => {
    ask().then((picked) => (picked === null ? input?.click() : addPicked(target, picked)), toastError)
  }
  const pickSome = () => pick(pickFiles, files.current)
  const pickAll = () => pick(pickFolder, folders.current)
  useCommands([{ label: t.uploadFolder, key: 'U', run: pickAll }])
  const takeFolders = (input: HTMLInputElement | null) => {
    folders.current = input
    if (input !== null) input.webkitdirectory = true
  }
  const take = (input: HTMLInputElement) => {
    if (input.files !== null) addPicked(target, filesOfInput(input.files))
    // Allows the user to pick the same files again.
    input.value = ''
  }
  return (
    <>
      <input ref={files} hidden type="file" multiple onChange={(event) => take(event.currentTarget)} />
      <input ref={takeFolders} hidden type="file" onChange={(event) => take(event.currentTarget)} />
      <Button onClick={pickAll} text={t.uploadFolder} />
      <CommandButton look="main" keys="u" label={t.upload} run={pickSome} />
    </>
  )
}

/** The API accepts more. */
const labelsMax = 10

function LabelFilter({ place: { labels }, go }: { place: Place; go: Go }) {
  const t = text.value.files
  const input = useRef<HTMLInputElement>(null)
  const add = (label: string) => {
    const [key = '', ...value] = label.split('=')
    const tidy = value.length === 0 ? key.trim() : `${key.trim()}=${value.join('=').trim()}`
    if (tidy !== '' && !tidy.startsWith('=') && !labels.includes(tidy)) go({ labels: [...labels, tidy] })
  }
  return (
    <form
      class="file-labels"
      onSubmit={(event) => {
        event.preventDefault()
        if (input.current === null) return
        add(input.current.value)
        input.current.value = ''
      }}
    >
      <input
        ref={input}
        aria-label={t.filter}
        placeholder={t.filterHint}
        maxLength={400}
        autocomplete="off"
        enterkeyhint="search"
        disabled={labels.length >= labelsMax}
      />
      {labels.map((label) => (
        <Button
          key={label}
          label={t.endFilter(isolated(label))}
          onClick={() => go({ labels: labels.filter((one) => one !== label) })}
        >
          <bdi>{label}</bdi> ×
        </Button>
      ))}
    </form>
  )
}
