import { computed, signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { text } from '../text/text.ts'

/** Something that can be done here: in the palette, in the sheet of keys, and by its key. Each is a button as well. */
export interface Command {
  label: string
  /** As `KeyboardEvent.key` says it; without one it is in the palette alone. */
  key?: string
  run: () => void
  /** Everywhere, not only on this page. */
  isGlobal?: boolean
}

const groups = signal<ReadonlyMap<symbol, readonly Command[]>>(new Map())

/** All that can be done now, what belongs to the page first. */
export const commands = computed(() =>
  [...groups.value.values()].flat().sort((a, b) => Number(a.isGlobal ?? false) - Number(b.isGlobal ?? false)),
)

/** Offers these for as long as the component is there. */
export function useCommands(list: readonly Command[]): void {
  const latest = useRef(list)
  latest.current = list
  const shape = list.map(({ label, key }) => `${key ?? ''} ${label}`).join('\n')
  // What is run is always the latest; it is offered anew only when it looks different, and at once: who sees it presses its key.
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

/** As the keyboards of this system have it, in the language of the page. */
export const paletteKeys = computed(() =>
  navigator.platform.startsWith('Mac') ? '⌘K' : `${text.value.commands.control} K`,
)
