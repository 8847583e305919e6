import { renderMermaidSVG } from 'beautiful-mermaid'
import { defineMdastPlugin } from 'satteri'

/** Draws `mermaid` blocks while the site is built: readers load no script for them. Colors follow the theme. */
export const diagrams = defineMdastPlugin({
  name: 'diagrams',
  code(node, context) {
    if (node.lang !== 'mermaid') return
    const svg = renderMermaidSVG(node.value, {
      bg: 'var(--sl-color-bg)',
      fg: 'var(--sl-color-text)',
      transparent: true,
    })
    context.replaceNode(node, { type: 'html', value: `<figure>${svg.replace(/\n\s*\n/g, '\n')}</figure>` })
  },
})
