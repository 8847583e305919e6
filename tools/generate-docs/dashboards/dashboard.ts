interface Panel {
  title: string
  description: string
  unit: string
  /** PromQL and the legend of its series. */
  queries: { expr: string; legend: string }[]
  isStat: boolean
  isStacked: boolean
  /** In columns, of 24. */
  width: number
  /** The maximum of the axis. */
  max: number | undefined
}

/**
 * A dashboard whose rows and panels are text. A row is `# Title`. A panel is `Title [unit, look, …]`, its description,
 * and a line for each query: `PromQL => legend`. The legend defaults to the labels of `by (…)`. `NS` in
 * PromQL is the selected namespace. A look is `stat` (one number instead of lines over time), `stacked`, `width N`, or
 * `max N`.
 */
export function dashboard(uid: string, title: string, description: string, text: string) {
  const rows: { title: string; panels: Panel[] }[] = []
  for (const block of text.trim().split('\n\n')) {
    if (block.startsWith('# ')) rows.push({ title: block.slice(2), panels: [] })
    else rows.at(-1)?.panels.push(panelOf(block.split('\n')))
  }
  return { uid, title, description, rows }
}

function panelOf([head = '', description = '', ...queries]: string[]): Panel {
  const [, title, looks] = /^(.+) \[(.+)\]$/.exec(head) ?? []
  if (title === undefined || looks === undefined) throw new Error(`A panel begins with "Title [unit]", not "${head}"`)
  const [unit = '', ...look] = looks.split(', ')
  const numberOf = (name: string) =>
    look.flatMap((one) => (one.startsWith(`${name} `) ? [Number(one.split(' ')[1])] : []))[0]
  return {
    title,
    description,
    unit,
    queries: queries.map(queryOf),
    isStat: look.includes('stat'),
    isStacked: look.includes('stacked'),
    width: numberOf('width') ?? 8,
    max: numberOf('max'),
  }
}

function queryOf(line: string) {
  const [expr = '', legend] = line.split(' => ')
  const labels = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? []
  return { expr, legend: legend ?? labels.map((label) => `{{${label}}}`).join(' ') }
}

const COLUMNS = 24
const datasource = { type: 'prometheus', uid: '$datasource' }

export function toGrafana({ uid, title, description, rows }: ReturnType<typeof dashboard>) {
  let y = 0
  let id = 0
  const panels = rows.flatMap(({ title: rowTitle, panels: inRow }) => {
    const row = { id: ++id, type: 'row', title: rowTitle, collapsed: false, gridPos: { h: 1, w: COLUMNS, x: 0, y } }
    y += 1
    let x = 0
    let height = 0
    const placed = inRow.map((panel) => {
      const [w, h] = [panel.width, panel.isStat ? 4 : 8]
      if (x + w > COLUMNS) {
        y += height
        x = height = 0
      }
      const gridPos = { h, w, x, y }
      x += w
      height = Math.max(height, h)
      return { id: ++id, ...toPanel(panel), gridPos }
    })
    y += height
    return [row, ...placed]
  })
  return {
    uid,
    title,
    description,
    tags: ['tideport'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    timezone: 'browser',
    templating: { list: [datasourceVariable, namespaceVariable] },
    panels,
  }
}

function toPanel({ title, description, unit, queries, isStat, isStacked, max }: Panel) {
  const lines = { drawStyle: 'line', lineWidth: 1, fillOpacity: isStacked ? 30 : 8, showPoints: 'never' }
  const custom = isStat ? {} : { custom: { ...lines, stacking: { mode: isStacked ? 'normal' : 'none' } } }
  const options = isStat
    ? { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'none', graphMode: 'area', textMode: 'auto' }
    : {
        legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
        tooltip: { mode: 'multi', sort: 'desc' },
      }
  return {
    type: isStat ? 'stat' : 'timeseries',
    title,
    description,
    datasource,
    fieldConfig: { defaults: { unit, min: 0, ...(max === undefined ? {} : { max }), ...custom }, overrides: [] },
    options,
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource,
      expr: expr.replace(/\bNS\b/g, 'namespace=~"$namespace"'),
      legendFormat: legend,
      ...(isStat ? { instant: true } : {}),
    })),
  }
}

const datasourceVariable = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }

/** "All" also matches series without a namespace. */
const namespaceVariable = {
  name: 'namespace',
  label: 'Namespace',
  type: 'query',
  datasource,
  query: { query: 'label_values(tideport_build_info, namespace)', refId: 'namespace' },
  refresh: 2,
  includeAll: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
}
