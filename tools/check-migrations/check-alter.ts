import { type Fields, nodesOf } from './syntax-tree.ts'

/** Changes of a table that affect only its definition. */
const DESCRIPTIVE = new Set([
  'AT_ColumnDefault',
  'AT_DisableTrig',
  'AT_DropColumn',
  'AT_DropConstraint',
  'AT_DropNotNull',
  'AT_EnableTrig',
  'AT_ResetRelOptions',
  'AT_SetRelOptions',
  'AT_SetStatistics',
])
const ADVICE: Record<string, string> = {
  AT_AlterColumnType: 'a new type rewrites the table: add a column, fill it in batches',
  AT_SetNotNull: '"set not null" reads the complete table: add a check "not valid", validate it in an online step',
  AT_ValidateConstraint: 'validate a constraint in a separate online step',
}
const SERIAL = /^(?:small|big)?serial[248]?$/
const SAME_FOR_ALL_ROWS = new Set([
  'now',
  'date_trunc',
  'make_interval',
  'transaction_timestamp',
  'statement_timestamp',
])

/** Parts of an ALTER of an existing table that read or rewrite its rows while writes are blocked. */
export function checkAlter(node: Fields): string[] {
  if (node.objtype !== 'OBJECT_TABLE') return [`ALTER of ${node.objtype} is not known to be harmless`]
  return node.cmds.flatMap(({ AlterTableCmd: { subtype, def } }: Fields) => {
    if (DESCRIPTIVE.has(subtype)) return []
    if (subtype === 'AT_AddColumn') return checkColumn(def.ColumnDef)
    if (subtype === 'AT_AddConstraint') return checkConstraint(def.Constraint)
    return [ADVICE[subtype] ?? `${subtype} is not known to be harmless`]
  })
}

function checkColumn({ colname, typeName, constraints = [] }: Fields): string[] {
  const kinds = constraints.map(({ Constraint }: Fields) => Constraint)
  const hasDefault = kinds.some(({ contype }: Fields) => contype === 'CONSTR_DEFAULT')
  const type = typeName.names.at(-1).String.sval
  const faults = kinds.flatMap((constraint: Fields) => checkColumnConstraint(constraint, hasDefault))
  const all = SERIAL.test(type) ? [...faults, 'a serial column rewrites the table'] : faults
  return all.map((fault: string) => `column ${colname}: ${fault}`)
}

function checkColumnConstraint({ contype, raw_expr, generated_kind }: Fields, hasDefault: boolean): string[] {
  if (contype === 'CONSTR_NULL') return []
  if (contype === 'CONSTR_NOTNULL') return hasDefault ? [] : ['"not null" needs a default']
  if (contype === 'CONSTR_DEFAULT') return isSameForAllRows(raw_expr) ? [] : ['a volatile default rewrites the table']
  if (contype === 'CONSTR_GENERATED' && generated_kind === 'v') return []
  return ['a constraint, key or generated value reads or rewrites the table: add it in steps']
}

const isSameForAllRows = (expression: unknown) =>
  [...nodesOf(expression)].every(
    ({ kind, node }) => kind !== 'FuncCall' || SAME_FOR_ALL_ROWS.has(node.funcname.at(-1).String.sval),
  )

function checkConstraint({ contype, conname, skip_validation, indexname }: Fields): string[] {
  if (contype === 'CONSTR_UNIQUE' || contype === 'CONSTR_PRIMARY') {
    return indexname ? [] : [`constraint ${conname}: create its index in an online step, then add it "using index"`]
  }
  if (contype === 'CONSTR_EXCLUSION') return [`constraint ${conname}: reads the complete table`]
  return skip_validation ? [] : [`constraint ${conname}: add it "not valid", validate it in an online step`]
}
