import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { text } from '../text/text.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

export interface DialogProps {
  title: string
  onClose: () => void
  /** When its reader is on another page now; without it, it is closed. */
  onLeft?: () => void
  children: ComponentChildren
  look?: 'normal' | 'palette'
}

/**
 * A modal dialog, open for as long as it is shown: the browser keeps the focus in it, closes it at Escape, and gives the
 * focus back to where it was.
 */
export function Dialog({ title, onClose, onLeft = onClose, children, look = 'normal' }: DialogProps) {
  const id = useId()
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    dialog?.showModal()
    // The browser would take the button that closes it.
    dialog?.querySelector<HTMLElement>('.dialog-content :is(input, select, textarea)')?.focus()
    return () => {
      dialog?.close()
      // What had the focus before may be gone: a row that was deleted.
      if (before?.isConnected === false) document.querySelector('main')?.focus({ preventScroll: true })
    }
  }, [])
  useWhenLeft(onLeft)
  /** The browser asks at the first Escape alone, and closes it at the next one whatever we say. */
  const closedByBrowser = () => {
    if (ref.current === null) return
    onClose()
    // Whoever did not let it go has it shown again.
    setTimeout(() => {
      if (ref.current?.open === false) ref.current.showModal()
    })
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside it closes it, as Escape does
    <dialog
      ref={ref}
      class={`dialog dialog-${look}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={closedByBrowser}
      onClick={(event) => {
        if (event.target === ref.current) onClose()
      }}
    >
      <div class="dialog-body">
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
          <Button look="bare" label={text.value.app.close} onClick={onClose}>
            <Icon name="close" />
          </Button>
        </div>
        <div class="dialog-content">{children}</div>
      </div>
    </dialog>
  )
}

/** Whoever goes back has left what it asked about: what is behind it is another folder now. */
function useWhenLeft(onLeft: () => void): void {
  const [path] = useLocation()
  const address = `${path}?${useSearch()}`
  const opened = useRef(address)
  useEffect(() => {
    if (address === opened.current) return
    opened.current = address
    onLeft()
  }, [address])
}
