// biome-ignore-all lint/a11y/useSemanticElements: rows that are not there have no place in a table
// biome-ignore-all lint/a11y/useFocusableInteractive: the row has the focus for its cells
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { text } from '../text/text.ts'
import type { Selection } from './selection.ts'

interface VirtualGridProps<Item> {
  label: string
  /** Without the checkbox. The style sheet sets their widths. */
  columns: readonly string[]
  items: readonly Item[]
  keyOf: (item: Item) => string
  nameOf: (item: Item) => string
  selection: Selection<Item>
  hasMore: boolean
  /** The row before which others are missing; null: after the last. */
  gapAt?: number | null
  gapText?: string
  /** Called near the gap. `fromEnd`: from the rows after it. */
  onNearMore: (fromEnd: boolean) => void
  /** The rendered rows: from `first` to before `last`. */
  onSight?: (first: number, last: number) => void
  /** The row to focus first; undefined: none. */
  startAt?: number | undefined
  row: (item: Item) => ComponentChildren
  onOpen: (item: Item, index: number) => void
  /** Handles further keys of the focused row. */
  onKey?: (key: string, item: Item) => boolean
}

const rowPx = 44
const spareRows = 8

/** Renders only the visible rows, all of one height. Arrows, Home, End, and the page keys move the focus. */
export function VirtualGrid<Item>(props: VirtualGridProps<Item>) {
  const { label, columns, items, selection, hasMore, gapAt = null, onNearMore, onSight } = props
  const count = items.length
  const box = useRef<HTMLDivElement>(null)
  const active = useActive(count, gapAt)
  const sight = useSight(box)
  // The gap takes one row.
  const placeOf = (index: number) => (gapAt !== null && index >= gapAt ? index + 1 : index) * rowPx
  const rowAt = (px: number) => Math.floor(px / rowPx) - (gapAt !== null && px > gapAt * rowPx ? 1 : 0)
  const height = (gapAt === null ? count : count + 1) * rowPx
  const bottom = sight.value.top + sight.value.height
  const first = Math.max(0, rowAt(sight.value.top) - spareRows)
  const last = Math.min(count, rowAt(bottom) + 1 + spareRows)
  const isBehindGap = gapAt !== null && rowAt(bottom) > gapAt
  const isNearMore = hasMore && (isBehindGap ? first <= gapAt + spareRows : last >= (gapAt ?? count) - spareRows)
  useEffect(() => {
    if (isNearMore) onNearMore(isBehindGap)
  }, [isNearMore, isBehindGap, count, onNearMore])
  useEffect(() => onSight?.(first, last))
  useKeptPlace(box, height, isBehindGap)
  const focused = Math.min(active.value, Math.max(0, count - 1))
  const shown = rowsOf(first, last, focused, count)

  function focus(index: number): void {
    active.value = Math.max(0, Math.min(count - 1, index))
    const top = placeOf(active.value)
    const { current } = box
    if (current && top < current.scrollTop) current.scrollTop = top
    if (current && top + rowPx > current.scrollTop + current.clientHeight - rowPx) {
      current.scrollTop = top + 2 * rowPx - current.clientHeight
    }
    requestAnimationFrame(() => current?.querySelector<HTMLElement>(`[data-row="${active.value}"]`)?.focus())
  }
  useEffect(() => {
    if (props.startAt !== undefined) focus(props.startAt)
  }, [])
  return (
    <div
      ref={box}
      class="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : count + 1}
      aria-multiselectable="true"
    >
      <div class="grid-row grid-head" role="row" aria-rowindex={1}>
        {[text.value.files.select(''), ...columns].map((column) => (
          <span key={column} role="columnheader">
            {column}
          </span>
        ))}
      </div>
      <div class="grid-body" role="rowgroup" style={{ height: `${height}px` }}>
        {gapAt !== null && (
          <div class="grid-gap" role="row" style={{ transform: `translateY(${gapAt * rowPx}px)` }}>
            <Cell>{props.gapText}</Cell>
          </div>
        )}
        {shown.map((index) => {
          const item = items[index] as Item
          return (
            <div
              key={props.keyOf(item)}
              class="grid-row"
              role="row"
              data-row={index}
              aria-rowindex={index + 2}
              aria-selected={selection.has(item)}
              tabIndex={index === focused ? 0 : -1}
              style={{ transform: `translateY(${placeOf(index)}px)` }}
              onFocus={() => {
                active.value = index
              }}
              onKeyDown={(event) => onKeyDown(event, index, focus, props)}
              onDblClick={() => props.onOpen(item, index)}
            >
              <Cell>
                <input
                  type="checkbox"
                  tabIndex={-1}
                  aria-label={text.value.files.select(props.nameOf(item))}
                  checked={selection.has(item)}
                  onClick={(event) => selection.toggle(index, event.shiftKey)}
                />
              </Cell>
              {props.row(item)}
            </div>
          )
        })}
      </div>
    </div>
  )
}

export function Cell({ children, class: own }: { children: ComponentChildren; class?: string }) {
  return (
    <span role="gridcell" class={own}>
      {children}
    </span>
  )
}

function onKeyDown<Item>(
  event: KeyboardEvent,
  index: number,
  focus: (index: number) => void,
  { items, gapAt = null, selection, onOpen, onKey }: VirtualGridProps<Item>,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey || (event.target as Element).matches('input')) return
  const page = 10
  const moves: Record<string, number> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: items.length - 1,
  }
  const next = moves[event.key]
  const isRow = event.target === event.currentTarget
  const item = items[index] as Item
  if (next !== undefined) {
    const isJump = event.key === 'Home' || event.key === 'End'
    const reached = isJump ? next : stepWithin(index, next, items.length, gapAt)
    focus(reached)
    if (event.shiftKey && !(isJump && gapAt !== null)) selection.toggle(reached, true)
  } else if (event.key === 'x' || event.key === 'X' || (event.key === ' ' && isRow))
    selection.toggle(index, event.shiftKey)
  else if (event.key === 'Enter' && isRow) onOpen(item, index)
  else if (!onKey?.(event.key, item)) return
  event.preventDefault()
}

/** Steps never cross the gap. */
function stepWithin(index: number, next: number, count: number, gapAt: number | null): number {
  const [first, end] = gapAt === null ? [0, count] : index < gapAt ? [0, gapAt] : [gapAt, count]
  return Math.max(first, Math.min(end - 1, next))
}

/** The focused row keeps the focus when rows are inserted at the gap. */
function useActive(count: number, gapAt: number | null) {
  const active = useSignal(0)
  const before = useRef({ count, gapAt })
  if (before.current.count !== count) {
    const { count: countBefore, gapAt: gapBefore } = before.current
    if (gapBefore !== null && active.value >= gapBefore) active.value += count - countBefore
  }
  before.current = { count, gapAt }
  return active
}

/** Rows after the gap stay in place when rows are inserted before them. */
function useKeptPlace(box: { current: HTMLElement | null }, height: number, isBehindGap: boolean): void {
  const before = useRef({ height, isBehindGap })
  useLayoutEffect(() => {
    if (before.current.isBehindGap && box.current) box.current.scrollTop += height - before.current.height
    before.current = { height, isBehindGap }
  })
}

/** Always contains the focused row. */
function rowsOf(first: number, last: number, focused: number, count: number): number[] {
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index)
  if (count > 0 && focused < first) rows.unshift(focused)
  if (count > 0 && focused >= last) rows.push(focused)
  return rows
}

function useSight(box: { current: HTMLElement | null }) {
  const sight = useSignal({ top: 0, height: 800 })
  useLayoutEffect(() => {
    const { current } = box
    if (current === null) return
    const look = () => {
      sight.value = { top: current.scrollTop, height: current.clientHeight }
    }
    const watcher = new ResizeObserver(look)
    watcher.observe(current)
    current.addEventListener('scroll', look, { passive: true })
    return () => {
      watcher.disconnect()
      current.removeEventListener('scroll', look)
    }
  }, [box, sight])
  return sight
}
