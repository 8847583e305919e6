import { useSignal } from '@preact/signals'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { JobList } from '../jobs/job-list.tsx'
import { StartDialog } from './start-dialog.tsx'

/** All files packed by the service, into a vault or a bucket: started, watched, and found. */
export function Exports() {
  const t = text.value.export
  const isOpen = useSignal(false)
  const open = () => {
    isOpen.value = true
  }
  useCommands([{ label: t.start, key: 'n', run: open }])
  return (
    <section class="section">
      <h2>{t.files}</h2>
      <p>{t.filesText}</p>
      <div class="row-actions">
        <Button look="main" keys="n" onClick={open}>
          {t.start}
        </Button>
      </div>
      <JobList label={t.files} empty={{ title: t.none, text: t.noneText }} isShown={({ kind }) => kind === 'export'} />
      {isOpen.value && (
        <StartDialog
          onClose={() => {
            isOpen.value = false
          }}
        />
      )}
    </section>
  )
}
