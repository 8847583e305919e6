import { useSignal } from '@preact/signals'
import type { OperatorRun } from '@tideport/sdk'
import { useCommands } from '../../../commands/commands.ts'
import { text } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { Listing } from '../../../ui/listing.tsx'
import { OperatorPage } from '../operator-page.tsx'
import { useCancelRun, useRuns } from './run-queries.ts'
import { RunRow } from './run-row.tsx'
import { StartRunDialog } from './start-run-dialog.tsx'

/** What goes through all files for operators. */
export default function RunsPage() {
  const t = text.value.operator
  const open = useSignal<'start' | OperatorRun | null>(null)
  const close = () => {
    open.value = null
  }
  const start = () => {
    open.value = 'start'
  }
  useCommands([{ label: t.start, key: 'n', run: start }])
  return (
    <OperatorPage
      lead={t.runsLead}
      actions={
        <Button look="main" keys="n" onClick={start}>
          {t.start}
        </Button>
      }
    >
      <Listing label={t.tabs.runs} pages={useRuns()} empty={{ title: t.noRuns, text: t.noRunsText }}>
        {(run) => (
          <RunRow
            key={run.id}
            run={run}
            onCancel={() => {
              open.value = run
            }}
          />
        )}
      </Listing>
      {open.value === 'start' && <StartRunDialog onClose={close} />}
      {open.value !== null && open.value !== 'start' && <CancelRunDialog run={open.value} onClose={close} />}
    </OperatorPage>
  )
}

function CancelRunDialog({ run, onClose }: { run: OperatorRun; onClose: () => void }) {
  const t = text.value.operator
  return (
    <ConfirmDialog
      title={t.cancelTitle(t.runNames[run.kind])}
      text={t.cancelText}
      submit={t.cancelRun}
      change={useCancelRun(onClose)}
      input={run}
      onClose={onClose}
    />
  )
}
