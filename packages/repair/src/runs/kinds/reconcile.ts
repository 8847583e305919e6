import type { Progress } from '../../reconcile/progress.ts'
import { firstPlace } from '../../reconcile/read-files.ts'
import { reconcileFiles } from '../../reconcile/reconcile-files.ts'
import type { KindOfRun } from '../kind-of-run.ts'

export const reconcile: KindOfRun = async function* ({ tiers, run: { request, place }, signal }) {
  const begin = place ?? request.after ?? firstPlace
  for await (const found of reconcileFiles(tiers, { begin, fix: !request.dryRun }, signal)) {
    yield found as Progress<object>
  }
}
