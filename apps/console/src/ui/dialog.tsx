import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { text } from '../text/text.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

export interface DialogProps {
  title: string
  onClose: () => void
  /** Called when the user navigates; defaults to `onClose`. */
  onLeft?: () => void
  children: ComponentChildren
  look?: 'normal' | 'palette'
}

export function Dialog({ title, onClose, onLeft = onClose, children, look = 'normal' }: DialogProps) {
  const id = useId()
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    dialog?.showModal()
    // The browser would focus the close button.
    dialog?.querySelector<HTMLElement>('.dialog-content :is(input, select, textarea)')?.focus()
    return () => {
      dialog?.close()
      // The previously focused element may have been deleted.
      if (before?.isConnected === false) document.querySelector('main')?.focus({ preventScroll: true })
    }
  }, [])
  useWhenLeft(onLeft)
  /** Browsers fire `cancel` for the first Escape only, and close the dialog at the next. */
  const closedByBrowser = () => {
    if (ref.current === null) return
    onClose()
    // Opens again if the caller kept the dialog.
    setTimeout(() => {
      if (ref.current?.open === false) ref.current.showModal()
    })
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click outside closes the dialog, as Escape does
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

/** After navigation, the dialog may refer to another item. */
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
