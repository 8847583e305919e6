import { useComputed, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { text } from '../text/text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { type Command, commands, palette } from './commands.ts'

export const CommandPalette = () => (palette.isOpen.value ? <Palette /> : null)

function Palette() {
  const t = text.value.commands
  const id = useId()
  const typed = useSignal('')
  const active = useSignal(0)
  const found = useComputed(() => commands.value.filter(({ label }) => fits(label, typed.value)))
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    palette.close()
    command.run()
  }
  const move = (by: number) => {
    const { length } = found.value
    if (length > 0) active.value = (active.value + by + length) % length
    document.getElementById(`${id}-${active.value}`)?.scrollIntoView({ block: 'nearest' })
  }
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => run(found.value[active.value]),
  }
  return (
    <Dialog title={t.title} look="palette" onClose={palette.close}>
      <input
        role="combobox"
        aria-label={t.title}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found.value.length > 0 ? `${id}-${active.value}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={t.placeholder}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value
          active.value = 0
        }}
        onKeyDown={(event) => {
          const act = keys[event.key]
          if (act === undefined || event.isComposing) return
          event.preventDefault()
          act()
        }}
      />
      <div class="palette-list" role="listbox" id={id} aria-label={t.title}>
        {found.value.map((command, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the combobox has the focus and the keys, and says which one is active
          <div
            key={command.label}
            class="palette-option"
            role="option"
            id={`${id}-${index}`}
            aria-selected={index === active.value}
            onClick={() => run(command)}
          >
            {command.label}
            {command.key !== undefined && <kbd>{command.key}</kbd>}
          </div>
        ))}
      </div>
      <p class="hint" role="status">
        {found.value.length === 0 ? t.none : ''}
      </p>
    </Dialog>
  )
}

function fits(label: string, typed: string): boolean {
  const text = label.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
