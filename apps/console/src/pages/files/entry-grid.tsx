import { useLocation } from 'wouter-preact'
import { bytes, date } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Selection } from '../../ui/selection.ts'
import { Cell, VirtualGrid } from '../../ui/virtual-grid.tsx'
import type { Entry } from './entries.ts'
import type { FileQuestion } from './file-forms.tsx'
import { type Go, isFiltered, type Place } from './place.ts'
import type { EntryList } from './use-entries.ts'

interface EntryGridProps extends Pick<EntryList, 'entries' | 'gapAt' | 'hasMore' | 'more' | 'see'> {
  selection: Selection<Entry>
  place: Place
  go: Go
  ask: (question: FileQuestion) => void
  mayUpload: boolean
}

export function EntryGrid(props: EntryGridProps) {
  const { entries, selection, place, go, ask, gapAt, hasMore, more, see, mayUpload } = props
  const { app, files: t } = text.value
  const [, navigate] = useLocation()
  if (entries.length === 0 && !hasMore) {
    return isFiltered(place) ? (
      <Empty title={t.noneFound} text={t.noneFoundText} />
    ) : (
      <Empty title={t.empty} text={mayUpload ? t.emptyText : t.emptyLockedText} />
    )
  }
  const open = (entry: Entry) => {
    leaveAt(entry.key)
    if (entry.kind === 'file') navigate(`/files/${entry.key}`)
    else go({ folder: entry.path }, { state: { at: firstRow } })
  }
  return (
    <VirtualGrid
      key={JSON.stringify(place)}
      startAt={startOf(entries)}
      label={t.list}
      columns={[app.label, app.size, app.state, t.created]}
      items={entries}
      keyOf={({ key }) => key}
      nameOf={({ name }) => name}
      selection={selection}
      hasMore={hasMore}
      gapAt={gapAt}
      gapText={t.gap}
      onNearMore={more}
      onSight={see}
      onOpen={open}
      onKey={(key, entry) => {
        if (key === 'F2') ask({ dialog: 'rename', entry })
        else if (key === 'Delete') ask({ dialog: 'trash', entries: selection.has(entry) ? selection.entries : [entry] })
        else return false
        return true
      }}
      row={(entry) => <EntryCells entry={entry} showPath={isFiltered(place)} onOpen={() => open(entry)} />}
    />
  )
}

/** Stored in the history when a folder is opened. */
const firstRow = ''

/** Sets the row that gets the focus when the user returns. */
function leaveAt(key: string): void {
  history.replaceState({ ...history.state, at: key }, '')
}

function startOf(entries: readonly Entry[]): number | undefined {
  const { at } = (history.state ?? {}) as { at?: string }
  if (at === firstRow) return 0
  const index = entries.findIndex(({ key }) => key === at)
  return index === -1 ? undefined : index
}

function EntryCells({ entry, showPath, onOpen }: { entry: Entry; showPath: boolean; onOpen: () => void }) {
  const { app, files: t } = text.value
  const file = entry.kind === 'file' ? entry.file : null
  return (
    <>
      <Cell class="entry-name">
        <Icon name={file ? 'file' : 'folder'} />
        <button type="button" tabIndex={-1} class="entry-open" title={entry.path} onClick={onOpen}>
          {showPath ? entry.path : entry.name}
        </button>
      </Cell>
      <Cell>{file ? bytes(file.plaintextSizeBytes ?? file.sizeBytes) : ''}</Cell>
      <Cell class={file ? `state-${file.status}` : ''}>
        {file === null ? app.folder : file.awaitingReview ? t.awaitingReview : t.states[file.status]}
      </Cell>
      <Cell>{file ? date(file.createdAt) : ''}</Cell>
    </>
  )
}
