// The referee of opsets.py: runs the ONNX models of a folder by onnxruntime-node.
//
//     node opsets.js FOLDER     where `npm install onnxruntime-node` was run in the working folder
//
// Reads FOLDER/cases.json, [{"model": "a.onnx", "inputs": {"x": {"type": "float32", "dims": [2], "data": ["1", "nan"]}}}, ...];
// writes FOLDER/answers.json, [{"y": {...}} or {"error": "..."}], in the same order.
const fs = require('fs');
const path = require('path');
const runtime = require(path.join(process.cwd(), 'node_modules', 'onnxruntime-node'));

const kinds = {
  float32: Float32Array, int64: BigInt64Array, int32: Int32Array, uint8: Uint8Array, int8: Int8Array, bool: Uint8Array,
};

async function run(folder, each) {
  const feeds = {};
  for (const [name, t] of Object.entries(each.inputs)) {
    const data = t.data.map(t.type === 'int64' ? BigInt : e => Number(e.replace('inf', 'Infinity')));
    feeds[name] = new runtime.Tensor(t.type, kinds[t.type].from(data), t.dims);
  }
  const session = await runtime.InferenceSession.create(path.join(folder, each.model), {logSeverityLevel: 4});
  const answers = {};
  for (const [name, t] of Object.entries(await session.run(feeds))) {
    answers[name] = {type: t.type, dims: t.dims, data: Array.from(t.data, x => String(Number(x)))}; // JSON has no infinity
  }
  return answers;
}

(async () => {
  const folder = process.argv[2];
  const all = [];
  for (const each of JSON.parse(fs.readFileSync(path.join(folder, 'cases.json')))) {
    try {
      all.push(await run(folder, each));
    } catch (wrong) {
      all.push({error: String(wrong.message).split('\n')[0]});
    }
  }
  fs.writeFileSync(path.join(folder, 'answers.json'), JSON.stringify(all));
})();
