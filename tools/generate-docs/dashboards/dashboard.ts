/** Units as Grafana names them. */
export type Unit = 'short' | 's' | 'percentunit' | 'bytes' | 'Bps' | 'reqps' | 'ops'

/** A PromQL expression and the legend of its series. `NS` in it is the chosen namespace. */
export type Query = readonly [expr: string, legend: string]

export interface Panel {
  title: string
  description: string
  unit: Unit
  queries: readonly Query[]
  /** One number each instead of lines over time. */
  isStat?: true
  /** Of 24 columns. */
  width?: 4 | 6 | 8 | 12 | 24
  /** Where the axis ends. */
  max?: number
  isStacked?: true
}

export interface Dashboard {
  uid: string
  title: string
  description: string
  rows: readonly { title: string; panels: readonly Panel[] }[]
}

const COLUMNS = 24
const datasource = { type: 'prometheus', uid: '$datasource' }

export function toGrafana({ uid, title, description, rows }: Dashboard) {
  let y = 0
  let id = 0
  const panels = rows.flatMap(({ title: rowTitle, panels: inRow }) => {
    const row = { id: ++id, type: 'row', title: rowTitle, collapsed: false, gridPos: { h: 1, w: COLUMNS, x: 0, y } }
    y += 1
    let x = 0
    let height = 0
    const placed = inRow.map((panel) => {
      const [w, h] = [panel.width ?? 8, panel.isStat ? 4 : 8]
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
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource,
      expr: expr.replace(/\bNS\b/g, 'namespace=~"$namespace"'),
      legendFormat,
      ...(isStat ? { instant: true } : {}),
    })),
  }
}

const datasourceVariable = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }

/** All matches also where there are no namespaces. */
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
