import type { RunKind } from '@tideport/contracts/public/operator-runs'
import type { KindOfRun } from './kind-of-run.ts'
import { reconcile } from './kinds/reconcile.ts'
import { verify } from './kinds/verify.ts'

export const runKinds: Record<RunKind, KindOfRun> = { reconcile, verify }
