// SPDX-License-Identifier: LGPL-2.1-or-later
// The script of a page: views, frames, who uses a link, search. It makes no elements of text.
'use strict';
const D = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);
let view = 0, frame = -1, timer = 0, chosen = -1, maps = [];

const nameOf = (n) => D.nodes[n];
const port = (n, p) => nameOf(n) + (p ? '[' + p + ']' : '');
const linkName = (l) => port(D.links[l][0], D.links[l][2]) + ' > ' + port(D.links[l][1], D.links[l][3]);

// Who uses the link in this frame: pairs of hosts
function usersNow(v, l) {
	return v.frames[frame].filter((t) => t.includes(l)).map((t) =>
		nameOf(D.links[t[0]][0]) + '>' + nameOf(D.links[t[t.length - 1]][1]));
}

function usersOf(v, l) {
	const u = v.users[l] || [], all = [];
	for (let i = 0; i < u.length; i += 2)
		all.push(nameOf(u[i]) + '>' + nameOf(u[i + 1]));
	const more = v.unit === 'messages' ? v.load[l] - all.length : 0;
	return all.join(', ') + (all.length && more > 0 ? ' and ' + more + ' more' : '');
}

const looks = { b: ', a bottleneck', x: ', broken: it leads one way only', u: ', unused' };

function describe(v, l) {
	const look = looks[v.look[l]] || '';
	if (frame >= 0 && v.frames[frame]) {
		const now = usersNow(v, l);
		return linkName(l) + ', frame ' + (frame + 1) + ': ' + (now.join(', ') || 'idle');
	}
	const users = usersOf(v, l), most = D.links[l][4];
	const unit = v.load[l] === 1 ? v.unit.replace(/s$/, '') : v.unit;
	return linkName(l) + ': ' + v.load[l] + ' ' + unit + (most > 1 ? ', capacity ' + most : '') +
		look + (users ? '. ' + users : '');
}

function tell(text) {
	if ($('tip').textContent !== text)
		$('tip').textContent = text;
}

// The nodes whose names have the text of the search
function found() {
	const text = $('find').value.trim().toLowerCase();
	const hit = new Set();
	if (text)
		D.nodes.forEach((name, n) => {
			if (name.toLowerCase().includes(text))
				hit.add(n);
		});
	// A whole name is meant alone.
	for (const n of hit)
		if (nameOf(n).toLowerCase() === text)
			return new Set([n]);
	return hit;
}

function paint(map, v, hit) {
	const busy = frame >= 0 && v.frames[frame] ? new Set(v.frames[frame].flat()) : null;
	map.links.forEach((e, l) => {
		const near = !hit.size || hit.has(D.links[l][0]) || hit.has(D.links[l][1]);
		const off = (busy && !busy.has(l)) || !near;
		const look = v.look[l] + (off ? ' off' : '') + (l === chosen ? ' at' : '');
		if (e.getAttribute('class') !== look)
			e.setAttribute('class', look);
	});
	map.nodes.forEach((e, n) => e.setAttribute('class', hit.has(n) ? 'hit' : ''));
}

function draw() {
	const hit = found(), v = D.views[view], all = $('beside') && $('beside').checked;
	maps.forEach((map, i) => {
		map.box.hidden = !all && i !== 0;
		paint(map, D.views[all ? i : view], hit);
		map.head.textContent = D.views.length > 1 ? D.views[all ? i : view].label : '';
	});
	document.querySelector('.maps').style.gridTemplateColumns =
		all ? 'repeat(auto-fit, minmax(min(100%, 30em), 1fr))' : '';
	const most = all ? Math.max(...D.views.map((w) => w.frames.length)) : v.frames.length;
	$('film').hidden = !most;
	$('frame').max = most;
	$('frame').value = frame + 1;
	$('which').textContent = (frame < 0 ? 'the whole exchange' : 'frame ' + (frame + 1) + ' of ' +
		v.length) + (v.frames.length < v.length ? ' (the first ' + v.frames.length + ' of ' + v.length +
		' frames are here)' : '');
	if (frame >= 0 && v.frames[frame])
		tell('Frame ' + (frame + 1) + ': ' + v.frames[frame].slice(0, 12).map((t) =>
			nameOf(D.links[t[0]][0]) + '>' + nameOf(D.links[t[t.length - 1]][1])).join(', ') +
			(v.frames[frame].length > 12 ? ' and ' + (v.frames[frame].length - 12) + ' more' : ''));
	if (chosen >= 0)
		tell(describe(v, chosen));
	else if (hit.size)
		tell([...hit].slice(0, 8).map((n) => nameOf(n) + ': ' + ports(v, n)).join('; ') +
			(hit.size > 8 ? ' and ' + (hit.size - 8) + ' more' : ''));
	else if ($('find').value.trim())
		tell('No host or switch has "' + $('find').value.trim() + '" in its name.');
	else if (frame < 0)
		tell('Point at a link, or choose one by the arrow keys, for its load and who uses it.');
}

// What a node sends and receives
function ports(v, n) {
	let out = 0, into = 0, hot = 0;
	D.links.forEach((k, l) => {
		out += k[0] === n ? v.load[l] : 0;
		into += k[1] === n ? v.load[l] : 0;
		hot += (k[0] === n || k[1] === n) && v.look[l] === 'b';
	});
	return out + ' ' + v.unit + ' leave, ' + into + ' arrive' + (hot ? ', ' + hot + ' bottlenecks' : '');
}

// A map for each view: the first is in the page, the others are its copies.
function addMap(svg, v) {
	const box = svg.parentElement, all = (what) => [...svg.querySelectorAll(what)];
	const map = { box, head: box.querySelector('figcaption'), links: all('.links > *'),
		nodes: all('.nodes > g') };
	const number = new Map(map.links.map((e, l) => [e, l]));
	const at = () => D.views[$('beside') && $('beside').checked ? v : view];
	svg.addEventListener('pointerover', (e) => {
		if (number.has(e.target))
			tell(describe(at(), number.get(e.target)));
	});
	svg.addEventListener('click', (e) => {
		const n = map.nodes.indexOf(e.target.closest('.nodes > g'));
		chosen = number.has(e.target) ? number.get(e.target) : -1;
		if (n >= 0)
			$('find').value = nameOf(n);
		draw();
	});
	svg.addEventListener('keydown', (e) => {
		const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
		if (e.key === 'Escape')
			chosen = -1;
		else if (step)
			chosen = byLoad(at(), step);
		else
			return;
		e.preventDefault();
		draw();
	});
	maps.push(map);
}

// The next link by load / capacity, the largest first
function byLoad(v, step) {
	const order = D.links.map((k, l) => l).sort((a, b) =>
		v.load[b] / D.links[b][4] - v.load[a] / D.links[a][4] || a - b);
	const now = order.indexOf(chosen);
	return order[(now + (now < 0 && step < 0 ? 0 : step) + order.length) % order.length];
}

function stop() {
	clearInterval(timer);
	timer = 0;
	$('play').textContent = 'Play';
}

const first = $('map');
addMap(first, 0);
for (let v = 1; v < D.views.length; v++) {
	const box = first.parentElement.cloneNode(true);
	first.parentElement.parentElement.appendChild(box);
	const svg = box.querySelector('svg');
	svg.removeAttribute('id');
	addMap(svg, v);
}
document.querySelectorAll('input[name=view]').forEach((e) => e.addEventListener('change', () => {
	view = +e.value;
	frame = Math.min(frame, D.views[view].frames.length - 1);
	draw();
}));
if ($('beside'))
	$('beside').addEventListener('change', draw);
$('frame').addEventListener('input', () => {
	frame = +$('frame').value - 1;
	tell('');
	draw();
});
$('play').addEventListener('click', () => {
	if (timer)
		return stop();
	$('play').textContent = 'Stop';
	timer = setInterval(() => {
		frame = frame + 1 < +$('frame').max ? frame + 1 : -1;
		draw();
		if (frame < 0)
			stop();
	}, 500);
});
$('find').addEventListener('input', () => {
	chosen = -1;
	tell('');
	draw();
});
document.addEventListener('keydown', (e) => {
	if (e.key === '/' && document.activeElement !== $('find')) {
		e.preventDefault();
		$('find').focus();
	}
});
document.querySelectorAll('.tools').forEach((e) => e.hidden = false);
draw();
