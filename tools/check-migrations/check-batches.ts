import type { Migration } from '@tideport/service-kit/postgres/migration-file'
import { type Fields, type Found, nodesOf } from './syntax-tree.ts'

/** Whoever wants one of a batch's rows waits for all of them. */
const MOST_ROWS = 1_000
const WRITES = new Set(['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'])

/** A step in batches is one statement that changes a limited number of rows and answers no row when none is left. */
export function checkBatches(statements: Found[], { sql }: Migration): string[] {
  const [first] = statements
  if (first === undefined || statements.length > 1) return ['a step in batches is one statement']
  const nodes = [...nodesOf({ [first.kind]: first.node })]
  const writes = nodes.filter(({ kind }) => WRITES.has(kind))
  const limited = new Set(
    nodes.flatMap(({ kind, node }) => (kind === 'CommonTableExpr' && hasLimit(node.ctequery) ? [node.ctename] : [])),
  )
  const isBounded = ({ node }: Found) =>
    hasLimit(node) || [...nodesOf(node)].some(({ kind, node }) => kind === 'RangeVar' && limited.has(node.relname))
  return [
    ...(writes.length > 0 ? [] : ['it writes nothing']),
    ...(writes.every(isBounded)
      ? []
      : [`what is written must be picked by a select with a limit of at most ${MOST_ROWS}`]),
    ...(answersRows(first) ? [] : ['it answers no row, which ends the step: add "returning" or a select']),
    ...(sql.includes('$1') && !answersLast(first) ? ['with $1 it must answer where it came to as "last"'] : []),
  ]
}

/** Whether any select at or below has a small limit, of its own and not as the outermost statement's. */
const hasLimit = (tree: unknown) =>
  [...nodesOf(tree)].some(({ kind, node }) => {
    const limit = kind === 'SelectStmt' ? node.limitCount?.A_Const?.ival?.ival : undefined
    return limit > 0 && limit <= MOST_ROWS
  })

const answersRows = ({ kind, node }: Found) =>
  kind === 'SelectStmt' || node.returningList !== undefined || node.returningClause !== undefined

function answersLast({ kind, node }: Found): boolean {
  const answered = kind === 'SelectStmt' ? node.targetList : (node.returningClause?.exprs ?? node.returningList)
  return (answered ?? []).some((target: Fields) => target.ResTarget?.name === 'last')
}
