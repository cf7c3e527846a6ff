# Says what daifuku 0.9.0 reads of Markdown files, with the real Redcarpet and Nokogiri.
#
# daifuku.rb TEXTS READINGS: reads a JSON array of texts, and writes a JSON array with one object for each text:
# {"paragraphs": [...], "parameters": [...], "events": [...]}, or {"error": "..."} where daifuku refuses the file.
require "json"
require "nokogiri"
require "redcarpet"

# Single emphasis is turned off: a callback that returns nil leaves the marks as text.
class Renderer < Redcarpet::Render::HTML
  def emphasis(_) = nil
  def underline(_) = nil
end

PARAMETER = /(\[obsolete\])?\s*(\w+):\s*(!?\w+\??(?:\s(\d+))?)/
BUILT_IN = %w[smallint integer bigint real double boolean string date timestamp timestamptz]

def parameter(item)
  match = PARAMETER.match(item.content) or raise "no parameter: #{item.content}"
  type, length = match[3].split
  custom = !type.start_with?("!")
  name = type.delete_prefix("!").delete_suffix("?")
  raise "a length of a custom type: #{match[3]}" if custom && length
  raise "no such type: #{name}" unless custom || BUILT_IN.include?(name)
  raise "a length of #{name}" if length && name != "string"
  {
    name: match[2], type: name, custom: custom, optional: type.end_with?("?"), length: length&.to_i,
    obsolete: !match[1].nil?, description: item.css("ul li").map { |line| own_text(line) }
  }
end

# Where lists are nested deeper, daifuku repeats the inner items in the outer one.
def own_text(item)
  item.children.reject { |node| %w[ul ol].include?(node.name) }.map(&:content).join
end

def section(nodes)
  list = nodes.find { |node| node.name == "ul" }
  {
    paragraphs: nodes.select { |node| node.name == "p" }.map(&:content),
    parameters: (list ? list.css("> li") : []).map { |item| parameter(item) }
  }
end

def read(text)
  html = Redcarpet::Markdown.new(Renderer.new, underline: false, emphasis: false).render(text)
  top, sections, heading = [], {}, nil
  Nokogiri::HTML(html).css("body").children.each do |node|
    case node.name
    when "h2" then heading = node.content
    when "p", "ul" then (heading ? sections[heading] ||= [] : top) << node
    end
  end
  events = {}
  sections.each do |heading, nodes|
    marked = /\s*\[obsolete\]\s*(.*)/.match(heading)
    name = marked ? marked[1] : heading
    events[name] = { name: name, obsolete: !marked.nil?, **section(nodes) }
  end
  { **section(top), events: events.values }
rescue StandardError => error
  { error: error.message }
end

texts = JSON.parse(File.read(ARGV[0], encoding: "UTF-8"))
File.write(ARGV[1], JSON.generate(texts.map { |text| read(text) }))
