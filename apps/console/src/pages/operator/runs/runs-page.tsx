import { cancelRun, listRuns, type OperatorRun } from '@tideport/sdk'
import { client } from '../../../api/client.ts'
import { toast } from '../../../api/toasts.ts'
import { usePages } from '../../../api/use-pages.ts'
import { text } from '../../../text/text.ts'
import { Listing } from '../../../ui/listing.tsx'
import { type Asked, useDialog } from '../../../ui/use-dialog.tsx'
import { watched } from '../../jobs/progress.ts'
import { CommandButton } from '../../resource/command-button.tsx'
import { readList } from '../../resource/read-list.ts'
import { OperatorPage } from '../operator-page.tsx'
import { RunRow } from './run-row.tsx'
import { changes, StartRunDialog } from './start-run-dialog.tsx'

export default function RunsPage() {
  const t = text.value.operator
  const { dialog, ask } = useDialog()
  const pages = usePages<OperatorRun>(changes, readList('runs', listRuns, {}), watched)
  const start = () => ask((close) => <StartRunDialog onClose={close} />)
  return (
    <OperatorPage lead={t.runsLead} actions={<CommandButton look="main" keys="n" label={t.start} run={start} />}>
      <Listing label={t.tabs.runs} pages={pages} empty={{ title: t.noRuns, text: t.noRunsText }}>
        {(run) => <RunRow key={run.id} run={run} onCancel={() => ask(cancelForm(run))} />}
      </Listing>
      {dialog}
    </OperatorPage>
  )
}

function cancelForm({ id, kind }: OperatorRun): Asked<OperatorRun> {
  const t = text.value.operator
  return {
    title: t.cancelTitle(t.runNames[kind]),
    text: t.cancelText,
    submit: t.cancelRun,
    danger: true,
    run: () => cancelRun(client(), { runId: id }),
    changes,
    onDone: ({ state }) => toast(state === 'cancelled' ? t.cancelled : t.wasOver),
  }
}
