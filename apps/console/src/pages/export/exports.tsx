import { useSignal } from '@preact/signals'
import { exportAccount } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { toast } from '../../app/toasts.ts'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { JobList } from '../jobs/job-list.tsx'
import { changes } from '../jobs/job-queries.ts'

/** All files packed by the service, as files of a vault: started, watched, and found. */
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

const day = 86_400
/** How long what was packed is kept, in seconds; null: until it is deleted. */
const lives = { week: 7 * day, month: 30 * day, ever: null } as const

function StartDialog({ onClose }: { onClose: () => void }) {
  const t = text.value.export
  const { mutate, isPending, error } = useChange({
    changes,
    run: (life: keyof typeof lives) => exportAccount(client(), { filesExpireAfterSeconds: lives[life] }),
    onDone() {
      onClose()
      toast(t.started)
    },
  })
  return (
    <FormDialog
      title={t.start}
      submit={t.start}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(fields) => mutate(fields.get('life') as keyof typeof lives)}
    >
      <p>{t.startText}</p>
      <SelectField
        label={t.life}
        name="life"
        value="month"
        choices={Object.keys(lives).map((life) => ({ value: life, label: t.lives[life as keyof typeof lives] }))}
      />
    </FormDialog>
  )
}
