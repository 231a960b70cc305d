// ONNX Runtime in the field: onnx_runtime.js THREADS MODULES (process_contender.hpp has the protocol). A run is a promise of
// its JavaScript front, which adds tens of microseconds: it counts in the smallest workloads.
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const { execFileSync } = require('child_process');

const threads = Number(process.argv[2]);
const ort = require(path.join(process.argv[3], 'node_modules', 'onnxruntime-node'));
let session = null;
let feeds = {};
let wanted = [];
let last = {};

async function load(folder) {
  execFileSync('/usr/bin/python3', [path.join(__dirname, 'onnx_file.py'), folder]);
  const ports = JSON.parse(fs.readFileSync(path.join(folder, 'inputs.json')));
  const bytes = fs.readFileSync(path.join(folder, 'values.f32'));
  feeds = {};
  wanted = ports.outputs;
  for (const port of ports.inputs) {
    const count = port.shape.reduce((a, b) => a * b, 1);
    const begin = bytes.byteOffset + 4 * port.offset;
    const numbers = new Float32Array(bytes.buffer.slice(begin, begin + 4 * count));
    feeds[port.name] = new ort.Tensor('float32', numbers, port.shape);
  }
  const begin = process.hrtime.bigint();
  session = await ort.InferenceSession.create(path.join(folder, 'model.onnx'), {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  });
  return Number(process.hrtime.bigint() - begin) * 1e-9;
}

async function run(count) {
  const seconds = [];
  for (let i = 0; i < count; ++i) {
    const begin = process.hrtime.bigint();
    last = await session.run(feeds);
    seconds.push(Number(process.hrtime.bigint() - begin) * 1e-9);
  }
  return seconds;
}

async function answer(line) {
  const [command, argument] = line.trim().split(' ');
  switch (command) {
    case 'describe':
      return { text: `ONNX Runtime ${ort.env.versions.node}, all graph optimisations, fp32` };
    case 'load':
      return { seconds: await load(argument) };
    case 'run':
      return { seconds: await run(Number(argument)) };
    case 'outputs': {
      const parts = wanted.map((name) => Buffer.from(last[name].data.buffer, last[name].data.byteOffset, last[name].data.byteLength));
      fs.writeFileSync(argument, Buffer.concat(parts));
      return {};
    }
    default:
      return { error: `no such command: ${command}` };
  }
}

(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let text;
    try {
      text = JSON.stringify(await answer(line));
    } catch (failure) {
      text = JSON.stringify({ error: String(failure.message).split('\n')[0] });
    }
    fs.writeSync(1, text + '\n');
  }
})();
