import type { Signal } from '@preact/signals'
import { useLocation } from 'wouter-preact'
import { bytes, date } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Selection } from '../../ui/selection.ts'
import { Cell, VirtualGrid } from '../../ui/virtual-grid.tsx'
import type { Entry } from './entries.ts'
import type { OpenDialog } from './file-dialogs.tsx'
import { type Go, isFiltered, type Place } from './place.ts'

interface EntryGridProps {
  entries: readonly Entry[]
  selection: Selection<Entry>
  place: Place
  go: Go
  open: Signal<OpenDialog | null>
  gapAt: number | null
  hasMore: boolean
  onNearMore: (fromEnd: boolean) => void
  onSight: (first: number, last: number) => void
  mayUpload: boolean
}

/** What is in the folder, or what was found. */
export function EntryGrid({
  entries,
  selection,
  place,
  go,
  open,
  gapAt,
  hasMore,
  onNearMore,
  onSight,
  mayUpload,
}: EntryGridProps) {
  const t = text.value.files
  const [, navigate] = useLocation()
  if (entries.length === 0 && !hasMore) {
    return isFiltered(place) ? (
      <Empty title={t.noneFound} text={t.noneFoundText} />
    ) : (
      <Empty title={t.empty} text={mayUpload ? t.emptyText : t.emptyLockedText} />
    )
  }
  const at = (index: number) => entries[index] as Entry
  const openEntry = (entry: Entry) => {
    leaveAt(entry.key)
    if (entry.kind === 'file') navigate(`/files/${entry.key}`)
    else go({ folder: entry.path }, { state: { at: firstRow } })
  }
  return (
    <VirtualGrid
      key={JSON.stringify(place)}
      startAt={startOf(entries)}
      label={t.list}
      columns={[t.select(''), t.name, t.size, t.state, t.created]}
      count={entries.length}
      hasMore={hasMore}
      gapAt={gapAt}
      gapText={t.gap}
      onNearMore={onNearMore}
      onSight={onSight}
      keyOf={(index) => at(index).key}
      isSelected={(index) => selection.has(at(index))}
      onToggle={selection.toggle}
      onOpen={(index) => openEntry(at(index))}
      onKey={(key, index) => {
        const dialogs: Record<string, OpenDialog> = {
          F2: { dialog: 'rename', entry: at(index) },
          Delete: { dialog: 'trash', entries: selection.has(at(index)) ? selection.entries : [at(index)] },
        }
        if (dialogs[key] === undefined) return false
        open.value = dialogs[key]
        return true
      }}
      row={(index) => (
        <EntryCells
          entry={at(index)}
          showPath={isFiltered(place)}
          isSelected={selection.has(at(index))}
          onToggle={(toHere) => selection.toggle(index, toHere)}
          onOpen={() => openEntry(at(index))}
        />
      )}
    />
  )
}

/** What a step of the history says: whoever came by opening a folder is at its first row. */
const firstRow = ''

/** Whoever comes back to this step of the history is at this row again. */
function leaveAt(key: string): void {
  history.replaceState({ ...history.state, at: key }, '')
}

function startOf(entries: readonly Entry[]): number | undefined {
  const { at } = (history.state ?? {}) as { at?: string }
  if (at === firstRow) return 0
  const index = entries.findIndex(({ key }) => key === at)
  return index === -1 ? undefined : index
}

interface EntryCellsProps {
  entry: Entry
  showPath: boolean
  isSelected: boolean
  onToggle: (toHere: boolean) => void
  onOpen: () => void
}

function EntryCells({ entry, showPath, isSelected, onToggle, onOpen }: EntryCellsProps) {
  const t = text.value.files
  const file = entry.kind === 'file' ? entry.file : null
  return (
    <>
      <Cell>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={t.select(entry.name)}
          checked={isSelected}
          onClick={(event) => onToggle(event.shiftKey)}
        />
      </Cell>
      <Cell class="entry-name">
        <Icon name={file ? 'file' : 'folder'} />
        <button type="button" tabIndex={-1} class="entry-open" title={entry.path} onClick={onOpen}>
          {showPath ? entry.path : entry.name}
        </button>
      </Cell>
      <Cell>{file ? bytes(file.plaintextSizeBytes ?? file.sizeBytes) : ''}</Cell>
      <Cell class={file ? `state-${file.status}` : ''}>
        {file === null ? t.folder : file.awaitingReview ? t.awaitingReview : t.states[file.status]}
      </Cell>
      <Cell>{file ? date(file.createdAt) : ''}</Cell>
    </>
  )
}
