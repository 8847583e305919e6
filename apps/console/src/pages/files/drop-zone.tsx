import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { toast, toastError } from '../../api/toasts.ts'
import { number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { filesOfDrop, type PickedFile, pickedMax } from '../../uploads/picked-files.ts'
import { addUploads, type Target } from '../../uploads/uploads.ts'

export function DropZone({ target, isOff, children }: { target: Target; isOff: boolean; children: ComponentChildren }) {
  const [isOver, setOver] = useState(false)
  const hasFiles = (event: DragEvent) => !isOff && event.dataTransfer?.types.includes('Files') === true
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of two ways; the buttons are the other
    <div
      class="drop-zone"
      data-over={isOver}
      data-text={text.value.files.drop}
      onDragOver={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event) => {
        if (!hasFiles(event) || event.dataTransfer === null) return
        event.preventDefault()
        setOver(false)
        filesOfDrop(event.dataTransfer).then((picked) => addPicked(target, picked), toastError)
      }}
    >
      {children}
    </div>
  )
}

export function addPicked(target: Target, picked: readonly PickedFile[]): void {
  if (picked.length > pickedMax) toast(text.value.files.tooMany(number(pickedMax)))
  else void addUploads(target, picked).catch(toastError)
}
