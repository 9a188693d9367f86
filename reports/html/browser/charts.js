const names = ['--link', '--open', '--pass', '--warn', '--fail', '--dim']
const dashes = [[], [8, 4], [], [2, 3], [6, 3], []]
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
const shown = (value) =>
  value === null || value === undefined ? 'none' : String(Number(value.toPrecision(3)))
const share = (rarity) => `${String(Number((100 * (1 - 1 / rarity)).toPrecision(6)))} %`
const hueOf = ({ color }, at) =>
  color === undefined ? at % names.length : names.indexOf(`--${color}`)
const placeOf = ({ label, scale }, value) =>
  `${value} ${scale === 'whole' && value === 1 ? label.replace(/s$/, '') : label}`
const drawn = new Map()

/** Draws charts, or shows new data in those that are there. Figures that left the page are forgotten. */
function drawCharts(charts) {
  for (const chart of charts) {
    const figure = document.getElementById(chart.id)
    const known = drawn.get(chart.id)
    if (known?.figure === figure && known.shape === shapeOf(chart)) {
      Object.assign(known.chart, chart)
      known.u.setData(dataOf(chart))
      continue
    }
    known?.u.destroy()
    figure.querySelector('.keys').replaceChildren()
    drawn.set(chart.id, { figure, chart, shape: shapeOf(chart), u: draw(chart, figure) })
  }
  for (const [id, { u, figure }] of drawn) {
    if (figure.isConnected) continue
    u.destroy()
    drawn.delete(id)
  }
}

/** What a chart is built for; a chart of another shape is built anew. */
function shapeOf({ heat, limits, series }) {
  return JSON.stringify([
    heat === undefined,
    limits,
    series.map(({ name, points, color }) => [name, points, color]),
  ])
}

function dataOf({ x, heat, series }) {
  return [x.values, ...(heat ? [x.values.map(() => null)] : series.map(({ values }) => values))]
}

function draw(chart, figure) {
  const plot = figure.querySelector('.plot')
  plot.hidden = false
  const readout = figure.querySelector('.readout')
  const width = () => Math.max(240, plot.clientWidth)
  const height = () => Math.min(320, Math.max(200, Math.round(width() * 0.4)))
  const axis = (more) => ({
    stroke: () => color('--dim'),
    grid: { stroke: () => color('--line'), width: 1 },
    ticks: { stroke: () => color('--line'), width: 1 },
    ...more,
  })
  const rarity = chart.x.scale === 'rarity'
  const decades = [-3, -2, -1, 0, 1, 2, 3, 4, 5, 6].flatMap((at) =>
    [1, 2, 5].map((of) => of * 10 ** at),
  )
  const nines = [1, 2, 4, 10, 20, 100, 1000, 10000, 100000, 1000000]
  const options = {
    width: width(),
    height: height(),
    legend: { show: false },
    cursor: { drag: { x: true, y: false }, points: { size: 7 } },
    scales: { x: xScale(chart), y: yScale(chart) },
    axes: [
      axis(
        rarity
          ? {
              splits: (u) =>
                nines.filter((at) => at >= u.scales.x.min && at <= u.scales.x.max * 1.001),
              filter: (_u, splits) => splits,
              values: (_u, splits) => splits.map(share),
            }
          : chart.x.scale === 'whole'
            ? {
                label: chart.x.label,
                labelSize: 20,
                incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000],
              }
            : { values: (_u, splits) => splits.map((at) => `${at} ${chart.x.label}`) },
      ),
      axis({
        size: 64,
        label: chart.y.label,
        labelSize: 20,
        ...(chart.heat
          ? {
              splits: (u) => decades.filter((at) => at >= u.scales.y.min && at <= u.scales.y.max),
              filter: (_u, splits) => splits,
            }
          : {}),
        values: (_u, splits) => splits.map((at) => (at === null ? '' : shown(at))),
      }),
    ],
    series: [{}, ...(chart.heat ? [heatSeries(chart)] : chart.series.map(lineSeries))],
    hooks: {
      setCursor: [
        (u) => {
          readout.textContent =
            u.cursor.idx === null || u.cursor.idx === undefined ? '' : textAt(chart, u.cursor.idx)
        },
      ],
      drawClear: [(u) => shade(u, chart.shaded ?? [])],
      draw: [
        ...(chart.heat ? [(u) => drawHeat(u, chart.heat)] : []),
        (u) => drawLimits(u, chart.limits ?? []),
      ],
    },
  }
  const u = new uPlot(options, dataOf(chart), plot)
  u.root.querySelector('canvas').setAttribute('aria-hidden', 'true')
  keysOf(chart, u, figure.querySelector('.keys'))
  steer(chart, u, plot)
  new ResizeObserver(() => {
    if (u.width !== width()) u.setSize({ width: width(), height: height() })
  }).observe(plot)
  return u
}

function lineSeries(series, at) {
  const { name, points } = series
  const hue = hueOf(series, at)
  if (points)
    return {
      label: name,
      stroke: () => color(names[hue]),
      width: 0,
      paths: () => null,
      points: { show: true, size: 9, width: 2, space: 0, fill: () => color(names[hue]) },
    }
  return {
    label: name,
    stroke: () => color(names[hue]),
    dash: dashes[hue],
    width: 2,
    points: { show: false },
    spanGaps: false,
  }
}

function heatSeries() {
  return { label: 'requests', paths: () => null, points: { show: false } }
}

/** The chart changes while a run goes on. */
function xScale(chart) {
  const { x, heat } = chart
  if (heat)
    return {
      time: false,
      range: (u, min, max) => whole(u, min, max, [0, chart.x.values.at(-1) + chart.heat.width]),
    }
  if (x.scale === 'rarity')
    return { time: false, distr: 3, range: (_u, min, max) => [Math.max(1, min), Math.max(2, max)] }
  return { time: false, range: (_u, min, max) => [min, max > min ? max : min + 1] }
}

/** What a reader has not zoomed is shown to its edges. */
function whole(u, min, max, edges) {
  return min === u.data[0][0] && max === u.data[0].at(-1) ? edges : [min, max]
}

function yScale(chart) {
  const { y, limits = [] } = chart
  const values = limits.map(({ value }) => value)
  if (chart.heat)
    return {
      distr: 3,
      range: () => [
        Math.min(chart.heat.edges[0], ...values),
        1.1 * Math.max(chart.heat.edges.at(-1), ...values),
      ],
    }
  if (y.scale === 'log')
    return {
      distr: 3,
      range: (_u, min, max) =>
        min === null || max === null
          ? [1, 10]
          : uPlot.rangeLog(Math.min(min, ...values), Math.max(max, ...values), 10, true),
    }
  return {
    range: (_u, min, max) => [
      Math.min(0, 1.05 * min),
      Math.max(1.05 * max, ...values.map((value) => 1.2 * value)) || 1,
    ],
  }
}

function clipped(u, paint) {
  u.ctx.save()
  u.ctx.beginPath()
  u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height)
  u.ctx.clip()
  paint(u.ctx)
  u.ctx.restore()
}

function shade(u, ranges) {
  clipped(u, (ctx) => {
    ctx.fillStyle = color('--dim')
    ctx.globalAlpha = 0.15
    for (const [from, to] of ranges) {
      const left = u.valToPos(from, 'x', true)
      ctx.fillRect(left, u.bbox.top, u.valToPos(to, 'x', true) - left, u.bbox.height)
    }
  })
}

function drawLimits(u, limits) {
  clipped(u, (ctx) => {
    ctx.strokeStyle = ctx.fillStyle = color('--fail')
    ctx.lineWidth = 2 * devicePixelRatio
    ctx.font = `${12 * devicePixelRatio}px sans-serif`
    // The axes leave their own alignment, which would clip the label.
    ctx.textAlign = 'left'
    ctx.textBaseline = 'alphabetic'
    for (const { label, value } of limits) {
      const y = u.valToPos(value, 'y', true)
      ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio])
      ctx.beginPath()
      ctx.moveTo(u.bbox.left, y)
      ctx.lineTo(u.bbox.left + u.bbox.width, y)
      ctx.stroke()
      const place = [u.bbox.left + 6 * devicePixelRatio, y - 5 * devicePixelRatio]
      ctx.save()
      // The lines of the chart end around the label.
      ctx.setLineDash([])
      ctx.lineWidth = 4 * devicePixelRatio
      ctx.strokeStyle = color('--ground')
      ctx.strokeText(`SLO ${label}`, ...place)
      ctx.restore()
      ctx.fillText(`SLO ${label}`, ...place)
    }
  })
}

function drawHeat(u, { edges, counts, width }) {
  const max = Math.max(1, ...counts.map((column) => Math.max(...column)))
  clipped(u, (ctx) => {
    ctx.fillStyle = color('--link')
    counts.forEach((column, at) => {
      const left = u.valToPos(at * width, 'x', true)
      const right = u.valToPos((at + 1) * width, 'x', true)
      column.forEach((count, row) => {
        if (count === 0) return
        const top = u.valToPos(edges[row + 1], 'y', true)
        const bottom = u.valToPos(edges[row], 'y', true)
        // A single request must be seen beside thousands.
        ctx.globalAlpha = 0.15 + (0.85 * Math.log1p(count)) / Math.log1p(max)
        ctx.fillRect(left, top, Math.max(1, right - left), Math.max(1, bottom - top))
      })
    })
  })
}

function textAt({ x, y, series, heat }, at) {
  const place = x.scale === 'rarity' ? share(x.values[at]) : placeOf(x, x.values[at])
  if (heat) {
    const cells = heat.counts[at]
      .map((count, row) => (count > 0 ? `${count} up to ${shown(heat.edges[row + 1])} ms` : ''))
      .filter(Boolean)
    return `${place}: ${cells.join(', ') || 'nothing'}`
  }
  const unit = y.label === 'ms' ? ' ms' : ''
  return (
    place +
    ': ' +
    series
      .map(({ name, values }) => `${name} ${shown(values[at])}${values[at] === null ? '' : unit}`)
      .join(', ')
  )
}

function keysOf({ series, heat }, u, keys) {
  if (heat || series.length < 2) return
  series.forEach((one, at) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.setAttribute('aria-pressed', 'true')
    const swatch = document.createElement('span')
    swatch.className = `swatch c${hueOf(one, at)}${one.points ? ' dot' : ''}`
    button.append(swatch, one.name)
    button.addEventListener('click', () => {
      const show = !u.series[at + 1].show
      button.setAttribute('aria-pressed', String(show))
      u.setSeries(at + 1, { show })
    })
    keys.append(button)
  })
}

function steer(chart, u, plot) {
  const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }
  plot.onkeydown = (event) => {
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const { values } = chart.x
    const at = Math.min(values.length - 1, Math.max(0, (u.cursor.idx ?? -1) + step))
    u.setCursor({ left: u.valToPos(values[at], 'x'), top: 10 })
  }
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const { u } of drawn.values()) u.redraw(false, true)
})
const embedded = document.getElementById('charts')
if (embedded) drawCharts(JSON.parse(embedded.textContent))
