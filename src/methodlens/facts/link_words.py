"""Words around a link that say what it leads to: code, data, other people's work, a tool."""

import re

CODE_NOUN = re.compile(
    r"\b(?:codes?|codebase|scripts?|software|implementations?|packages?|notebooks?|toolbox|programs?|executables?|installers?)\b"
    r"(?! (?:challenge|competition))",
    re.IGNORECASE,
)
# a file or a set of them; "data augmentation" and "image classification" are not
DATA_NOUN = re.compile(
    r"\b(?:(?:meta)?data(?!\s?sets?\b|"
    r"[- ](?:augment|driven|scien|cent|mining|analy|process|loader|prepar|avail|access|point|type|format))"
    r"|images|imagery|photos|photographs|pictures|videos|recordings|annotations|samples|records|occurrences|spectra|"
    r"measurements|observations|scans|sequences|survey|catalogues?|catalogs?|reviews|tweets|dumps?|transcripts|utterances|splits)\b",
    re.IGNORECASE,
)
DATA_SET_NOUN = re.compile(
    r"\b(?:data[\s-]?sets?|databases?|data\s?banks?|corpus|corpora|archives?|collections?|benchmarks?|subsets?|"
    r"(?:training|test|testing|validation|evaluation) sets?|data (?:portal|repository|release)|(?-i:Data Cent(?:er|re)))\b",
    re.IGNORECASE,
)
SHARED = re.compile(  # said of a subject; "publicly available images" says nothing about the link
    r"\b(?:is|are|was|were|be|been|made|become|becomes)\s+(?:(?:\w+ly|also|all|now|both|open|made|freely and \w+)\s+){0,3}"
    r"(?:available|accessible|found|downloaded|accessed|obtained|deposited|archived|hosted|released|provided|published|shared|"
    r"open[- ]?sourced?|stored|uploaded|public|located|viewed|attached|distributed)\b"
    r"|\b(?:available|accessible|hosted|deposited|archived|published|released|open-?sourced)\s+"
    r"(?:online\s+|for download\s+)?(?:at|from|on|in|via|through|under|here|online|as)\b"
    r"|\b(?:is|are) (?:(?:\w+ )?(?:at|on|via|under)|in) (?:[\w-]+ ){0,3}[(\[]?$"
    r"|\bavailab(?:le|ility)(?: statements?)?\s*[:.]|\baccessibility\s*[:.]",
    re.IGNORECASE,
)
_ADVERBS = r"(?:(?:\w+ly|also|have|will|then|here|now|(?:plan|intend|aim|hope) to)\s+){0,3}"
WE_RELEASE = re.compile(
    rf"\bwe\s+{_ADVERBS}(?:releas|provid|publish|shar|open[- ]?sourc|mak|made|deposit|upload|host|archiv)\w*\b"
    r"|\bby (?:releas|publish|shar|open-?sourc)ing\b",
    re.IGNORECASE,
)
WE_SHARE = re.compile(
    rf"{WE_RELEASE.pattern}|\bwe\s+{_ADVERBS}(?:implement|develop|wrote|creat|built)\w*\b"
    r"|\breproduc(?:e|ing|ib\w+)\b|\bcan be reproduced\b"
    r"|\b(?:you|one|readers) (?:can|may) (?:find|download|access|obtain|get)\b",
    re.IGNORECASE,
)
OURS = re.compile(
    r"\b(?:our|ours|my|(?:this|the present) (?:study|work|paper|article|research|manuscript)|(?:the )?proposed)\b", re.IGNORECASE
)
# where the authors keep their work, without a word on what it is: "our repository", "the project page"
OUR_PLACE = re.compile(
    r"\b(?:our|the|this) (?:[\w-]+ ){0,2}(?:repo(?:sitory)?|project|(?:web)?\s?page|web\s?site)\b"
    r"|\b(?:is|are) open[- ]sourced?\b|\bour (?:[\w-]+ ){1,4}(?:is|are|was|were) implemented\b",
    re.IGNORECASE,
)
OUR_MODELS = re.compile(
    r"\b(?:our|(?:the|all) (?:(?:pre-?)?trained|proposed|final|resulting)) (?:[\w-]+ ){0,4}"
    r"(?:models?|networks?|nets?|weights|checkpoints?)\b",
    re.IGNORECASE,
)
PROGRAM = r"(?:codes?|codebase|implementations?|scripts?|software|packages?|repository)"
TOOL = r"(?:librar(?:y|ies)|toolbox|toolkit|framework|models?)"
OTHERS_CODE = re.compile(
    rf"\b(?:their|his|her|original|official|third[- ]party|existing) (?:[\w-]+ ){{0,2}}(?:{PROGRAM}|authors)\b"
    rf"|\b{PROGRAM} (?:(?:kindly|provided|written|released|published|developed|shared) ){{0,2}}"
    r"(?:by|of|from) (?:the (?:original )?authors\b|\w+ et al|\w+ and \w+ \(?\d)"
    r"|\b(?<!our )(?:use[ds]?|using|utili[sz]\w+|employ\w*|adapt\w*|modif\w+|borrow\w*|buil[dt]s? (?:up)?on|based (?:up)?on|"
    r"follow(?:s|ed)?|extend\w*|rel(?:y|ies|ied) on|implemented (?:in|with|using)|thanks? to) "
    rf"(?:[\w/.+’'-]+ ){{0,6}}?(?:{PROGRAM}|{TOOL})\b(?! (?:is|are|can|will|was|were)\b)"
    r"|\b(?:shared|provided|released|written|developed|published) by (?:the (?:original )?authors\b|\w+ et al)"
    r"|\bimplementations? of (?!our|the proposed|this|all|these)",
    re.IGNORECASE,
)
# "our code is based on A", "built on top of NewtFlow (A)"
BASED_ON = re.compile(
    r"\b(?:based|build|builds|built|rel(?:y|ies)|adapted|modified|borrowed|taken|forked|derived) (?:(?:up)?on|from)(?: top of)?"
    r"(?:\s+(?!(?:is|are|and|available|at)\b)[\w./+’'-]+){0,6}\s*[(\[]?$",
    re.IGNORECASE,
)
AND_SHARED = re.compile(r"\band (?:is|are|can be|will be|has been|have been)\b", re.IGNORECASE)
# "implemented in NewtFlow (A)": a tool, but "implemented in Python (A)" leads to what was implemented
IMPLEMENTED_IN = re.compile(
    r"\bimplemented (?:in|with|using|by) (?:the )?(?!(?:python|pytorch|tensorflow|keras|matlab|c\+\+|java|julia|jax|r)[\s(])"
    r"[\w.+/-]{2,30}\s?[(\[\d\s]{0,4}$",
    re.IGNORECASE,
)
# "the NewtKit (Toad, 2020; A) implementation", "the PondNet data (Marsh, 2016; A)"
TOOL_AFTER = re.compile(
    r"^[.\s]{0,2}[)\]]{1,2}\s?(?:implementations?|library|packages?|framework|tool(?:kit|box)|software)\b", re.I
)
CITED_AT_END = re.compile(r"\s?[(\[][A-Z][^()\[\]]{2,60}\b(?:19|20)\d\d[a-z]?[;,.\s]{0,3}$")
PRETRAINED = re.compile(r"\bpre-?\s?train\w*|\b(?:weights|checkpoints?|embeddings)\b", re.IGNORECASE)
PAPER_ITSELF = re.compile(
    r"\b(?:supplement\w*|supporting information|peer review|preprint|licen[cs]e|copyright|received|accepted|corresponding author|"
    r"homepage|home page)\b",
    re.IGNORECASE,
)
SUPPLEMENT = re.compile(r"\bsupplement\w*|\bsupporting information\b|\bappendi(?:x|ces)\b", re.IGNORECASE)
TAKEN = re.compile(
    r"\b(?:download|obtain|collect|acquir|retriev|extract|take|took|gather|sourc|assembl|compil|drawn?|got|get|access|quer[iy]|deriv|"
    r"select|came|come|originat|stem|scrap|crawl|request|purchas|host|stor|availab|provid|deposit|made|distribut|releas)\w*\b",
    re.IGNORECASE,
)
TAKEN_FROM = re.compile(
    r"\b(?:from|at|via|through|in|on|(?:provided|distributed|released) by)\s+(?:[^\s;]+\s+){0,16}[^\s;]*$", re.IGNORECASE
)
FETCHED = re.compile(
    r"\b(?:download|obtain|collect|acquir|retriev|extract|gather|sourc|assembl|compil|drawn|access|quer[iy]|select|scrap|crawl|"
    r"availab|deposit|taken|comes?|came|use[ds]?|using|contribut)\w*\b",
    re.IGNORECASE,
)
ACCESSED = re.compile(
    r"\b(?:last )?(?:accessed|visited|retrieved)(?: on)?:? (?=[\dA-Z])[^()\[\];]{4,25}"
)  # "accessed on 3 May 2021"
EXAMPLE = re.compile(r"\b(?:such as|e\.g\.|for example|for instance|including|like)\b.{0,300}$", re.IGNORECASE)
DEMO = re.compile(  # what the model made, to look at or listen to
    r"\b(?:audio|sound|speech|video|synthe\w+|generated|more|additional|further|qualitative) "
    r"(?:samples|examples|results|videos|clips)\b"
    r"|\bdemos?\b|\bdemonstrations?\b|\bvideos? (?:of|showing)\b|^\W*(?:samples|videos)\b",
    re.IGNORECASE,
)
AT_SITE = re.compile(r"\b(?:from|in|on|at|via|through|by|to)\s+(?:[\w’'()-]+\s+){0,5}[(]?$", re.IGNORECASE)
DOWNLOADED = re.compile(r"\b(?:download(?:ed)?|crawl(?:ed)?|scraped?)\b[^.;]{0,80}$", re.IGNORECASE)
ORIGIN = re.compile(r"\bfrom\b(?:\s+[^\s;]+){0,12}$")  # "photometric data from the Marsh Sky Survey (MSS"
USED = re.compile(
    r"\b(?:us(?:e|ed|ing)|consider(?:ed)?|employ(?:ed)?|utili[sz]ed?|train(?:ed|ing)?|test(?:ed)?|evaluat\w+|experiment\w*|validat\w+|"
    r"contains?|consists?|comprises?|includes?|choose|chose|selected)\b",
    re.IGNORECASE,
)
TOOL_NOUN = re.compile(
    r"\b(?:software|tools?|toolbox|toolkit|librar(?:y|ies)|frameworks?|packages?|editor|platform|API|apps?|application|plug-?in|engine|"
    r"programs?|interface|service|implementations?|documentation|company|cameras?|scanner|microscope|recorders?|cluster|annotator)\b"
)
HOW = re.compile(
    r"\b(?:using|with|(?<!provided )(?<!distributed )(?<!released )by|use|used|"
    r"utili[sz]ed|employed|converted to)\s+((?:[^\s,;()]+\s+){0,7}[^\s,;()]+)$",
    re.IGNORECASE,
)
PHRASE_START = re.compile(
    r"[,;()\[\]:–—]|\b(?:from|in|on|at|by|is|are|was|were|to|as|and|or|via|through|using|with|use|used|such|for)\b"
)
BRACKETS_AT_END = re.compile(r"(?:\s*[(\[][^()\[\]]{0,40}[)\]]){1,3}$")  # "the PondNet data set (Marsh, 2016)"
PAPER_PART = re.compile(r"\b(?:Tables?|Figures?|Fig|Appendix|Video|Movie|Files?)\b")
INTRODUCES = re.compile(
    r"(?:[(\[:,–—-]|\b(?:at|from|in|on|via|through|see|is|are|under|here|URL|doi|link|website|portal|page|server))\s*$",
    re.IGNORECASE,
)
LABEL = re.compile(
    r"^\W*(?:\w+\s){0,3}(?:codes?|data|data\s?sets?|scripts?|repo(?:sitory)?|project page|software|git\s?(?:hub|lab)|"
    r"web\s?(?:site|page))(?:\s\w+){0,3}\s?(?::|\bat\b)\W*$",
    re.IGNORECASE,
)
CLAUSE = re.compile(
    r"[;:]\s|\.\s(?=[A-Z])|,\s(?:and|while|whereas|but)\s(?=(?:we|our|all|the|these|this|code|source|data|scripts?)\b)",
    re.IGNORECASE,
)
VERB = re.compile(r"\b(?:is|are|was|were|be|can|have|has|we)\b", re.IGNORECASE)  # before it, a comma joins nouns
JOINED = re.compile(
    r"^[\s)\](]*(?:,|and|or|&|;|/|as well as)?\s*(?:also\s)?"
    r"(?:at\s|from\s|on\s|DOI:?\s?|(?:archived|mirrored) (?:at|on)\s)?[\s(\[]*$",
    re.IGNORECASE,
)
# "from Frogbase (A), Toadbase (B)"
LISTED = re.compile(r"^(?:[\s()\[\]\d]*(?:,|;|and|or)|\s*[)\]])\s+(?:and\s+|from\s+|the\s+){0,3}[a-z]?[A-Z]")
RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
LABEL_AFTER = re.compile(r"^\s*[(\[]\s*([^()\[\]]{3,60})[)\]]|^\s(?:for|contains|holds|provides)\s([^,;.]{3,60})")
COORDINATED = re.compile(
    r"(?:\band\b|&|,|\bor\b|\bas well as\b|\bplus\b|/|\btogether with\b)\s*(?:[\w-]+\s+){0,3}$", re.IGNORECASE
)
COMPLEMENT = re.compile(r"\b(?:for|of|to|from|on|with|using|in|that|which|by)\s+(?:[\w-]+\s+){0,3}$", re.IGNORECASE)
REPRODUCE = re.compile(r"\breproduc(?:e|ing|ib\w+)\b|\bcan be reproduced\b", re.IGNORECASE)
NOTE_NUMBER = re.compile(r"^\W{0,3}\d{1,2}(?=[A-Z][a-z])")  # of a footnote, glued to its first word
ONLY_AVAILABLE = 4  # words: "Available online at" does not say what is
WORDLESS = ' ()[]"“”:,.0123456789*†‡'
