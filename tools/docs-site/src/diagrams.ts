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
    // The style loads a web font from another host; the site's own font replaces it. Blank lines would end the HTML block.
    const own = svg.replaceAll(/@import url\([^)]*\);?/g, '').replaceAll(/\n\s*\n/g, '\n')
    context.replaceNode(node, { type: 'html', value: `<figure>${own}</figure>` })
  },
})
