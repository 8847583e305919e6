import { computed, signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { text } from '../text/text.ts'

/** An action with a button and with entries in the palette and in the list of keys. */
export interface Command {
  label: string
  /** As in `KeyboardEvent.key`. */
  key?: string
  run: () => void
  isGlobal?: boolean
}

const groups = signal<ReadonlyMap<symbol, readonly Command[]>>(new Map())

/** Commands of the page come first. */
export const commands = computed(() =>
  [...groups.value.values()].flat().sort((a, b) => Number(a.isGlobal ?? false) - Number(b.isGlobal ?? false)),
)

export function useCommands(list: readonly Command[]): void {
  const latest = useRef(list)
  latest.current = list
  const shape = list.map(({ label, key }) => `${key ?? ''} ${label}`).join('\n')
  // Registered again only when labels or keys change, and before paint, because users may press the key immediately.
  useLayoutEffect(() => {
    const id = Symbol()
    const offered = list.map((command, index) => ({ ...command, run: () => latest.current[index]?.run() }))
    groups.value = new Map([...groups.value, [id, offered]])
    return () => {
      groups.value = new Map([...groups.value].filter(([one]) => one !== id))
    }
  }, [shape])
}

function openable() {
  const isOpen = signal(false)
  return {
    isOpen,
    open() {
      isOpen.value = true
    },
    close() {
      isOpen.value = false
    },
  }
}

export const palette = openable()
export const sheet = openable()

export const paletteKeys = computed(() =>
  navigator.platform.startsWith('Mac') ? '⌘K' : `${text.value.commands.control} K`,
)
